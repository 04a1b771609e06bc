// SPDX-License-Identifier: Apache-2.0
/// Dice against the volume of the reference, a panel per model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/stats/moments.hpp"

namespace assay::report {
namespace {

struct SizedCase {
  double volume = 0, dice = 0;
  std::size_t place = 0;
};

struct Cloud {
  std::size_t model = 0;
  std::vector<SizedCase> cases{};  ///< by volume
  std::size_t left_out = 0;        ///< without Dice, or with an empty reference
  bool named = true;
};

Cloud cloud_of(const FigureScene& scene, std::size_t model) {
  const compare::MetricColumn* dice = compare::column_of(study_columns(scene, model), "dice");
  const compare::MetricColumn* volume = volume_column(scene, model, "volume_reference_ml");
  Cloud cloud = {.model = model};
  if (dice == nullptr || volume == nullptr) return cloud;
  cloud.named = scene.places[model].size() == dice->values.size();
  for (std::size_t i = 0; i < dice->values.size(); ++i) {
    const double size = volume->values[i].value_or(0),
                 score = dice->values[i].value_or(metrics::infinity);
    if (size > 0 && std::isfinite(size) && std::isfinite(score))
      cloud.cases.push_back({size, score, cloud.named ? scene.places[model][i] : i});
    else
      ++cloud.left_out;
  }
  std::ranges::stable_sort(cloud.cases, {}, &SizedCase::volume);
  return cloud;
}

/// Medians of Dice in bins with equal numbers of cases, which show the trend without fitting a
/// curve.
std::vector<Spot> trend(const Cloud& cloud, const PanelScales& scale) {
  constexpr std::size_t fewest = 5, most_parts = 8;
  const std::size_t parts = std::min(cloud.cases.size() / fewest, most_parts);
  std::vector<Spot> points;
  for (std::size_t part = 0; part < parts && parts > 1; ++part) {
    const std::size_t from = part * cloud.cases.size() / parts;
    const std::size_t to = (part + 1) * cloud.cases.size() / parts;
    std::vector<double> volumes, scores;
    for (std::size_t i = from; i < to; ++i) {
      volumes.push_back(cloud.cases[i].volume);
      scores.push_back(cloud.cases[i].dice);
    }
    points.push_back({scale.x(stats::median(volumes)), scale.y(stats::median(scores))});
  }
  return points;
}

void draw_cloud(Drawing& drawing, const PanelScales& scale, const Cloud& data, MarkForm form) {
  std::vector<Mark> dots;
  dots.reserve(data.cases.size());
  for (const SizedCase& each : data.cases)
    dots.push_back({each.place, {scale.x(each.volume), scale.y(each.dice)}});
  const MarkStyle style = {
      .owner = data.model, .named = data.named, .tone = model_tone(data.model)};
  drawing.add(cloud(dots, crowded(style, dots.size()), form));
  const std::vector<Spot> line = trend(data, scale);
  if (!line.empty()) drawing.path(polyline(line), {.stroke = tone::ink, .stroke_width = 1.8});
}

std::string volume_reading(std::span<const Cloud> clouds, MarkForm form) {
  std::size_t total = 0;
  for (const Cloud& each : clouds) total += each.cases.size();
  return "One voxel more or less matters most in a small lesion, so a fall to the left shows that "
         "small lesions lower the score. The line joins the medians of bins with equally many "
         "cases." +
         cloud_note(form, total);
}

std::string volume_caption(std::span<const Cloud> clouds) {
  std::size_t total = 0, left_out = 0;
  for (const Cloud& each : clouds) {
    total += each.cases.size();
    left_out += each.left_out;
  }
  std::string out = fmt::format("Dice against the volume of the reference (logarithmic axis). {}",
                                values_words(total, clouds.size()));
  if (left_out != 0)
    out += fmt::format("; {} without Dice or with an empty reference are left out", left_out);
  return out + ".";
}

}  // namespace

Figures volume_figures(const FigureScene& scene) {
  std::vector<Cloud> clouds;
  std::optional<Extent> x, y;
  std::size_t total = 0;
  for (std::size_t m = 0; m < scene.names.size(); ++m) {
    Cloud cloud = cloud_of(scene, m);
    if (cloud.cases.empty()) continue;
    total += cloud.cases.size();
    x = hull(x, Extent{cloud.cases.front().volume, cloud.cases.back().volume});
    for (const SizedCase& each : cloud.cases) y = hull(y, Extent{each.dice, each.dice});
    clouds.push_back(std::move(cloud));
  }
  if (clouds.empty()) return {};
  const MarkForm form = mark_form(total);
  const PanelLayout layout =
      panel_layout(clouds.size(), clouds.size() == 1 ? 240 : 150, scene.width);
  Drawing drawing(scene.width, layout.height);
  for (std::size_t k = 0; k < clouds.size(); ++k) {
    const PanelScales scale = panel_scales(layout.plots[k], {x->low * 0.8, x->high * 1.25},
                                           padded(*y, {0, 1}), ScaleKind::logarithmic);
    draw_panel(drawing, layout, k, scene.names[clouds[k].model],
               {scale.x, scale.y, "reference volume, mL", "Dice"});
    draw_cloud(drawing, scale, clouds[k], form);
  }
  const std::string title = "Dice against lesion volume";
  return {{.key = "dice-volume",
           .title = title,
           .caption = volume_caption(clouds) + average_note(scene),
           .svg = drawing.svg(title),
           .reading = volume_reading(clouds, form),
           .topic = "Volume"}};
}

}  // namespace assay::report
