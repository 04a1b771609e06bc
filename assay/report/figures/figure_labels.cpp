// SPDX-License-Identifier: Apache-2.0
/// The distribution of a metric label by label.
#include <fmt/format.h>

#include <algorithm>

#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/distribution.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_labels = 24;

struct LabelName {
  std::string key, shown;
};

std::vector<LabelName> labels_of(const Study& study) {
  std::vector<LabelName> labels;
  for (const compare::ResultTable& table : study.models)
    for (const compare::LabelTable& label : table.labels)
      if (std::ranges::find(labels, label.key, &LabelName::key) == labels.end())
        labels.push_back({label.key, label.name.empty() || label.name == label.key
                                         ? (label.is_union ? "region " : "label ") + label.key
                                         : label.name + " (" + label.key + ")"});
  return labels;
}

Sample label_sample(const FigureScene& scene, std::size_t model, const std::string& label,
                    const std::string& metric) {
  const auto& labels = scene.study.models[model].labels;
  const auto found = std::ranges::find(labels, label, &compare::LabelTable::key);
  return sample_of(scene, model,
                   found == labels.end() ? nullptr : compare::column_of(found->columns, metric));
}

struct LabelCell {
  std::size_t group = 0, model = 0;
  Sample sample{};
};

std::string rain(const Scale& x, double y, const LabelCell& cell, MarkForm form) {
  std::vector<Mark> drops;
  drops.reserve(cell.sample.values.size());
  for (std::size_t i = 0; i < cell.sample.values.size(); ++i)
    drops.push_back({cell.sample.places[i],
                     {x(cell.sample.values[i]), y - 6 + 12 * jitter(cell.sample.places[i])}});
  MarkStyle style = mark_style(cell.sample, cell.model);
  style.radius = 1.6;
  style.opacity = 0.35;
  return marks(drops, style, form);
}

void draw_cell(Drawing& drawing, const Scale& x, const GroupedRows& rows, const LabelCell& cell,
               MarkForm form) {
  const double y = rows.row(cell.group, cell.model), number_y = rows.layout.number_y(y);
  const std::size_t count = cell.sample.values.size();
  const auto box = box_summary(cell.sample.values);
  if (box)
    draw_box(drawing, x, *box,
             {.y = y, .height = 10, .tone = model_tone(cell.model), .count = count});
  drawing.add(rain(x, y, cell, form));
  drawing.text({drawing.width() - 52, number_y}, box ? figure_number(box->median) : "–",
               {.size = small_text, .anchor = Anchor::end});
  drawing.text({drawing.width() - 10, number_y}, std::to_string(count),
               {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
}

Figure panel(const FigureScene& scene, const FigureMetric& metric,
             std::span<const LabelName> all_labels) {
  const auto labels = all_labels.first(std::min(all_labels.size(), most_labels));
  std::vector<LabelCell> cells;
  std::vector<Sample> samples;
  std::vector<std::string> titles;
  std::optional<Extent> data;
  std::size_t total = 0;
  for (std::size_t g = 0; g < labels.size(); ++g) {
    titles.push_back(labels[g].shown);
    for (std::size_t m = 0; m < scene.names.size(); ++m) {
      cells.push_back({g, m, label_sample(scene, m, labels[g].key, metric.name)});
      data = hull(data, extent_of(cells.back().sample.values));
      total += cells.back().sample.values.size();
      samples.push_back(cells.back().sample);
    }
  }
  const MarkForm form = total > most_circles ? MarkForm::none : MarkForm::circles;
  const GroupedRows rows = grouped_rows(scene.names, labels.size(), scene.width);
  const Frame& plot = rows.layout.plot;
  const Scale x(padded(data.value_or(Extent{0, 1}), metric.possible), {plot.x, plot.right()});
  Drawing drawing(scene.width, rows.layout.height());
  draw_x_axis(drawing, plot, x, axis_title(metric));
  draw_group_names(drawing, rows, titles, scene.names);
  const TextStyle head = {.size = small_text, .anchor = Anchor::end, .tone = tone::muted};
  drawing.text({drawing.width() - 52, 14}, "median", head);
  drawing.text({drawing.width() - 10, 14}, "n", head);
  for (const LabelCell& cell : cells) draw_cell(drawing, x, rows, cell, form);
  const std::string title = metric.short_title + " by label";
  const std::string fewer =
      labels.size() == all_labels.size()
          ? ""
          : fmt::format(" The first {} of {} labels are shown.", labels.size(), all_labels.size());
  return {.key = "labels-" + key_part(metric.name),
          .title = title,
          .caption = fmt::format("{} for each label on its own.{} {}", caption_title(metric), fewer,
                                 counts_sentence(samples)),
          .svg = drawing.svg(title),
          .reading =
              "Boxes hold the middle half of the values, with the median as a line and the "
              "mean as a diamond. A label that pulls the average down shows here.",
          .topic = metric.name};
}

}  // namespace

Figures label_figures(const FigureScene& scene) {
  const std::vector<LabelName> labels = labels_of(scene.study);
  Figures figures;
  for (const FigureMetric& metric : scene.metrics) {
    const bool is_there =
        std::ranges::any_of(scene.study.models, [&](const compare::ResultTable& table) {
          return std::ranges::any_of(table.labels, [&](const compare::LabelTable& label) {
            return compare::column_of(label.columns, metric.name) != nullptr;
          });
        });
    if (is_there) figures.push_back(panel(scene, metric, labels));
  }
  return figures;
}

}  // namespace assay::report
