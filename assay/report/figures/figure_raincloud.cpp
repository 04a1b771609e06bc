// SPDX-License-Identifier: Apache-2.0
/// The distribution of a metric over cases, a row per model.
#include <fmt/format.h>

#include <algorithm>

#include "assay/report/figures/distribution.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

constexpr double values_room = 118;

double row_height(std::size_t models) {
  if (models <= 4) return 72;
  return models <= 8 ? 54 : 40;
}

struct CloudRow {
  double top = 0, height = 0;
  std::size_t model = 0;
};

void draw_cloud(Drawing& drawing, const Scale& x, const Sample& sample, const CloudRow& row) {
  const std::string_view tone = model_tone(row.model);
  draw_half_violin(drawing, x, density(sample.values),
                   {.base = row.top + row.height * 0.5, .height = row.height * 0.42, .tone = tone});
  if (const auto box = box_summary(sample.values))
    draw_box(drawing, x, *box,
             {.y = row.top + row.height * 0.6,
              .height = row.height * 0.14,
              .tone = tone,
              .count = sample.values.size()});
}

std::string rain(const Scale& x, const Sample& sample, const CloudRow& row, MarkForm form) {
  std::vector<Mark> drops;
  drops.reserve(sample.values.size());
  for (std::size_t i = 0; i < sample.values.size(); ++i)
    drops.push_back(
        {sample.places[i],
         {x(sample.values[i]), row.top + row.height * (0.73 + 0.2 * jitter(sample.places[i]))}});
  return marks(drops, crowded(mark_style(sample, row.model), drops.size()), form);
}

void draw_numbers(Drawing& drawing, const Sample& sample, double y) {
  const TextStyle count = {.size = small_text, .anchor = Anchor::end, .tone = tone::muted};
  const auto box = box_summary(sample.values);
  drawing.text(
      {drawing.width() - 62, y}, box ? figure_number(box->median) : "no value",
      {.anchor = Anchor::end, .tone = box ? tone::ink : tone::muted, .bold = box.has_value()});
  drawing.text({drawing.width() - 10, y}, std::to_string(sample.values.size()), count);
}

void draw_heads(Drawing& drawing) {
  const TextStyle head = {.size = small_text, .anchor = Anchor::end, .tone = tone::muted};
  drawing.text({drawing.width() - 62, 14}, "median", head);
  drawing.text({drawing.width() - 10, 14}, "n", head);
}

std::string raincloud_caption(const FigureMetric& metric, std::span<const Sample> samples,
                              MarkForm form, std::size_t total) {
  return fmt::format("{} by model, over all scored cases of each.{} {}", caption_title(metric),
                     marks_note(form, total), counts_sentence(samples));
}

std::string raincloud_reading(MarkForm form) {
  const std::string dots = form == MarkForm::none ? "" : " Each dot is a case.";
  return "The curve shows where values are dense. The box holds the middle half of them, with the "
         "median as its line. Whiskers reach the last value within 1.5 box widths, and the diamond "
         "is the mean." +
         dots;
}

/// Why a model has fewer values here than in the tables of the comparison; "" if it does not.
std::string lost_note(const FigureScene& scene) {
  const auto& comparison = scene.study.comparison;
  if (!comparison || comparison->settings.undefined != compare::UndefinedPolicy::worst) return "";
  std::vector<std::string> lost;
  for (const compare::ResultTable& table : scene.study.models) {
    const auto failed = std::ranges::count_if(table.unscored, &compare::UnscoredCase::failed);
    if (failed != 0) lost.push_back(fmt::format("{} of {}", failed, table.model_name));
  }
  if (lost.empty()) return "";
  return fmt::format(
      " Failed predictions ({}) have no value to draw. Means and tests count them as the worst.",
      listed(lost));
}

Figure raincloud(const FigureScene& scene, const FigureMetric& metric) {
  const std::vector<Sample> samples = samples_of(scene, metric.name);
  std::optional<Extent> data;
  std::size_t total = 0;
  for (const Sample& sample : samples) {
    data = hull(data, extent_of(sample.values));
    total += sample.values.size();
  }
  const MarkForm form = mark_form(total);
  const RowLayout layout = row_layout({.names = scene.names,
                                       .width = scene.width,
                                       .row_height = row_height(samples.size()),
                                       .right_room = values_room});
  const Scale x(padded(data.value_or(Extent{0, 1}), metric.possible),
                {layout.plot.x, layout.plot.right()});
  Drawing drawing(scene.width, layout.height());
  draw_x_axis(drawing, layout.plot, x, axis_title(metric));
  draw_rows(drawing, layout, scene.names);
  draw_heads(drawing);
  for (std::size_t m = 0; m < samples.size(); ++m) {
    const CloudRow row = {layout.mark_top(m), layout.mark_height, m};
    draw_cloud(drawing, x, samples[m], row);
    drawing.add(rain(x, samples[m], row, form));
    draw_numbers(drawing, samples[m], layout.number_y(layout.middle(m)));
  }
  const std::string title = fmt::format("{} over cases", metric.short_title);
  return {.key = "raincloud-" + key_part(metric.name),
          .title = title,
          .caption = raincloud_caption(metric, samples, form, total) + lost_note(scene) +
                     average_note(scene),
          .svg = drawing.svg(title),
          .reading = raincloud_reading(form),
          .topic = metric.name};
}

}  // namespace

Figures raincloud_figures(const FigureScene& scene) {
  Figures figures;
  figures.reserve(scene.metrics.size());
  for (const FigureMetric& metric : scene.metrics) figures.push_back(raincloud(scene, metric));
  return figures;
}

}  // namespace assay::report
