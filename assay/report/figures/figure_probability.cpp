// SPDX-License-Identifier: Apache-2.0
/// Maps of probabilities, a panel per model and label: can they be believed, and which threshold
/// would suit them?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/curve_panels.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

std::int64_t voxels_of(const results::LabelCurves& curves) {
  std::int64_t all = 0;
  for (const metrics::CalibrationBin& bin : curves.calibration) all += bin.voxels;
  return all;
}

/// The calibration error over the voxels of all cases.
double pooled_error(const results::LabelCurves& curves) {
  double sum = 0;
  for (const metrics::CalibrationBin& bin : curves.calibration)
    sum += std::abs(static_cast<double>(bin.positives) - bin.sum);
  return sum / static_cast<double>(voxels_of(curves));
}

/// A dot for each bin; the more voxels, the larger.
void draw_bins(Drawing& drawing, const PanelScales& scale, const CurvePanel& panel) {
  const auto all = static_cast<double>(voxels_of(*panel.curves));
  std::vector<Spot> line;
  drawing.line({scale.x(0), scale.y(0)}, {scale.x(1), scale.y(1)},
               {.stroke = tone::muted, .dashes = "4 3"});
  for (const metrics::CalibrationBin& bin : panel.curves->calibration)
    if (bin.voxels != 0) {
      const auto voxels = static_cast<double>(bin.voxels);
      line.push_back(
          {scale.x(bin.sum / voxels), scale.y(static_cast<double>(bin.positives) / voxels)});
    }
  const std::string_view colour = model_tone(panel.model);
  drawing.path(polyline(line), {.stroke = colour, .stroke_width = 1.6});
  std::size_t at = 0;
  for (const metrics::CalibrationBin& bin : panel.curves->calibration)
    if (bin.voxels != 0)
      drawing.circle(line[at++], 2 + 5 * std::sqrt(static_cast<double>(bin.voxels) / all),
                     {.fill = colour, .fill_opacity = 0.8});
}

struct SweepLine {
  std::string_view name;
  std::optional<double> metrics::SweepMean::*value;
  std::string_view dashes;
  double width;
};
constexpr SweepLine sweep_lines[] = {{"Dice", &metrics::SweepMean::dice, "", 2.2},
                                     {"precision", &metrics::SweepMean::precision, "5 3", 1.3},
                                     {"recall", &metrics::SweepMean::recall, "1.5 3", 1.3}};

void draw_sweep(Drawing& drawing, const PanelScales& scale, const CurvePanel& panel) {
  const std::string_view colour = model_tone(panel.model);
  for (const SweepLine& each : sweep_lines) {
    std::vector<Spot> line;
    for (const metrics::SweepMean& at : panel.curves->sweep)
      if (at.*each.value) line.push_back({scale.x(at.threshold), scale.y(*(at.*each.value))});
    drawing.path(polyline(line),
                 {.stroke = colour, .stroke_width = each.width, .dashes = each.dashes});
  }
  if (const auto best = metrics::best_threshold(panel.curves->sweep))
    drawing.circle({scale.x(best->threshold), scale.y(*best->dice)}, 5,
                   {.stroke = tone::ink, .stroke_width = 1.6});
}

using CurveDrawer = void (*)(Drawing&, const PanelScales&, const CurvePanel&);

/// Panels from 0 to 1 in both directions.
std::string unit_panels(const std::vector<CurvePanel>& panels, double width, std::string_view title,
                        std::array<std::string_view, 2> axes, CurveDrawer draw) {
  const PanelLayout layout = panel_layout(panels.size(), panels.size() == 1 ? 260 : 170, width);
  Drawing drawing(width, layout.height);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const PanelScales scale = panel_scales(layout.plots[k], {0, 1}, {0, 1});
    draw_panel(drawing, layout, k, panels[k].title,
               {scale.x, scale.y, axes[0], axes[1], panels[k].note});
    draw(drawing, scale, panels[k]);
  }
  return drawing.svg(title);
}

Figure reliability(CurvePanels found, double width) {
  std::size_t maps = 0;
  for (CurvePanel& panel : found.panels) {
    panel.note = fmt::format("error {}", figure_number(pooled_error(*panel.curves)));
    maps = std::max(maps, panel.curves->maps);
  }
  const std::string title = "Reliability of the probabilities";
  return {
      .key = "reliability",
      .title = title,
      .caption = fmt::format(
          "Share of foreground against the predicted probability, in {} bins over all voxels of "
          "{}. The error is the expected calibration error of these voxels together; the "
          "table has the mean over cases.{}",
          metrics::calibration_bins, counted(maps, "case"), found.fewer),
      .svg = unit_panels(found.panels, width, title, {"predicted probability", "foreground"},
                         draw_bins),
      .reading =
          "Of 100 voxels with a predicted probability of 0.8, 80 should be foreground; the "
          "dashed line marks this. Below the line the model is overconfident, above it "
          "underconfident. The area of a dot grows with the number of its voxels. Most voxels of a "
          "map are "
          "background, in the first bin.",
      .topic = "Probability"};
}

Figure sweep(CurvePanels found, double width) {
  for (CurvePanel& panel : found.panels)
    if (const auto best = metrics::best_threshold(panel.curves->sweep))
      panel.note = fmt::format("best at {}", figure_number(best->threshold));
  const std::string title = "Scores by threshold";
  return {
      .key = "threshold-sweep",
      .title = title,
      .caption = fmt::format("Means over cases if voxels of at least that probability were "
                             "foreground: Dice (solid), precision (dashed), recall (dotted). "
                             "The ring is the highest Dice.{}",
                             found.fewer),
      .svg = unit_panels(found.panels, width, title, {"threshold", "mean over cases"}, draw_sweep),
      .reading =
          "A flat top means that the threshold hardly matters. Do not choose the "
          "threshold on the cases that you report: its Dice would be too good.",
      .topic = "Probability"};
}

}  // namespace

Figures probability_figures(const FigureScene& scene) {
  Figures out;
  CurvePanels bins = curve_panels(
      scene, [](const results::LabelCurves& curves) { return voxels_of(curves) != 0; });
  if (!bins.panels.empty()) out.push_back(reliability(std::move(bins), scene.width));
  CurvePanels sweeps =
      curve_panels(scene, [](const results::LabelCurves& curves) { return !curves.sweep.empty(); });
  if (!sweeps.panels.empty()) out.push_back(sweep(std::move(sweeps), scene.width));
  return out;
}

}  // namespace assay::report
