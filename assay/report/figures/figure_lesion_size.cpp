// SPDX-License-Identifier: Apache-2.0
/// Which lesions were detected, by their size: a panel per model and label.
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/curve_panels.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/stats/proportions.hpp"

namespace assay::report {
namespace {

using Lesions = std::vector<results::SizedLesion>;

/// Lesions in one range of sizes, with the bins of results files.
struct SizeBin {
  double from_ml = 0, below_ml = metrics::infinity;
  std::size_t lesions = 0, detected = 0;
};

std::vector<SizeBin> size_bins(const Lesions& lesions) {
  std::vector<SizeBin> out(metrics::lesion_bins_ml.size() + 1);
  for (std::size_t i = 0; i < metrics::lesion_bins_ml.size(); ++i)
    out[i].below_ml = out[i + 1].from_ml = metrics::lesion_bins_ml[i];
  for (const results::SizedLesion& lesion : lesions)
    for (SizeBin& bin : out)
      if (lesion.volume_ml >= bin.from_ml && lesion.volume_ml < bin.below_ml) {
        ++bin.lesions;
        bin.detected += lesion.detected ? 1U : 0U;
      }
  return out;
}

/// The share of detected lesions in each range of sizes, with Wilson's interval.
void draw_shares(Drawing& drawing, const PanelScales& scale, const Lesions& lesions,
                 std::string_view colour) {
  const Extent& domain = scale.x.domain();
  for (const SizeBin& bin : size_bins(lesions)) {
    if (bin.lesions == 0) continue;
    const double left = scale.x(std::max(bin.from_ml, domain.low)),
                 right = scale.x(std::min(bin.below_ml, domain.high));
    const double share = static_cast<double>(bin.detected) / static_cast<double>(bin.lesions);
    const stats::Interval interval = stats::proportion_interval(bin.detected, bin.lesions);
    drawing.box({left + 1, scale.y(interval.upper), std::max(right - left - 2, 1.0),
                 scale.y(interval.lower) - scale.y(interval.upper)},
                {.fill = colour, .fill_opacity = 0.16});
    drawing.line({left + 1, scale.y(share)}, {right - 1, scale.y(share)},
                 {.stroke = colour, .stroke_width = 2.2});
    drawing.tooltip({left, scale.y(1), right - left, scale.y(0) - scale.y(1)},
                    fmt::format("{} of {} detected", bin.detected, counted(bin.lesions, "lesion")));
  }
}

/// A dot for each lesion: detected ones are drawn above 1, missed ones below 0.
void draw_lesions(Drawing& drawing, const PanelScales& scale, const FigureScene& scene,
                  const CurvePanel& panel, MarkForm form) {
  const std::vector<std::string>& ids = scene.study.ids;
  std::vector<Mark> dots;
  std::size_t number = 0;
  for (const results::SizedLesion& lesion : panel.curves->lesions) {
    const auto found = std::ranges::lower_bound(ids, lesion.id);
    if (lesion.volume_ml <= 0 || found == ids.end() || *found != lesion.id) continue;
    const double apart = 0.02 + 0.09 * jitter(number++);
    dots.push_back({static_cast<std::size_t>(found - ids.begin()),
                    {scale.x(lesion.volume_ml), scale.y(lesion.detected ? 1 + apart : -apart)}});
  }
  const MarkStyle style = {.owner = panel.model, .tone = model_tone(panel.model)};
  drawing.add(marks(dots, crowded(style, dots.size()), form));
}

bool has_lesions(const results::LabelCurves& curves) {
  return std::ranges::any_of(
      curves.lesions, [](const results::SizedLesion& lesion) { return lesion.volume_ml > 0; });
}

/// " Lesions of cases without a score are not included (2 cases of good)."; "" if all were scored.
std::string unscored_note(const FigureScene& scene, const std::vector<CurvePanel>& panels) {
  std::vector<std::string> lost;
  for (std::size_t m = 0; m < scene.study.models.size(); ++m) {
    const std::size_t cases = scene.study.models[m].unscored.size();
    if (cases == 0 || std::ranges::find(panels, m, &CurvePanel::model) == panels.end()) continue;
    lost.push_back(fmt::format("{} of {}", counted(cases, "case"), scene.names[m]));
  }
  return lost.empty() ? ""
                      : fmt::format(" Lesions of cases without a score are not included ({}).",
                                    listed(lost));
}

}  // namespace

Figures lesion_size_figures(const FigureScene& scene) {
  CurvePanels found = curve_panels(scene, has_lesions);
  if (found.panels.empty()) return {};
  Extent sizes = {metrics::infinity, 0};
  std::size_t total = 0;
  for (CurvePanel& panel : found.panels) {
    const Lesions& lesions = panel.curves->lesions;
    total += lesions.size();
    for (const results::SizedLesion& lesion : lesions)
      if (lesion.volume_ml > 0)
        sizes = {std::min(sizes.low, lesion.volume_ml), std::max(sizes.high, lesion.volume_ml)};
    panel.note = fmt::format(
        "{}/{}", std::ranges::count_if(lesions, &results::SizedLesion::detected), lesions.size());
  }
  const PanelLayout layout =
      panel_layout(found.panels.size(), found.panels.size() == 1 ? 240 : 160, scene.width);
  Drawing drawing(scene.width, layout.height);
  const MarkForm form = mark_form(total);
  for (std::size_t k = 0; k < found.panels.size(); ++k) {
    const PanelScales scale = panel_scales(layout.plots[k], {sizes.low * 0.8, sizes.high * 1.25},
                                           {-0.15, 1.15}, ScaleKind::logarithmic);
    draw_panel(
        drawing, layout, k, found.panels[k].title,
        {scale.x, scale.y, "volume of the lesion, mL", "share detected", found.panels[k].note});
    draw_shares(drawing, scale, found.panels[k].curves->lesions, model_tone(found.panels[k].model));
    draw_lesions(drawing, scale, scene, found.panels[k], form);
  }
  const std::string title = "Lesions detected, by size";
  return {{.key = "lesion-size",
           .title = title,
           .caption = fmt::format("Share of the reference's lesions that were detected, by volume "
                                  "(logarithmic axis), with 95 % intervals (Wilson). {}.{}{}{}",
                                  fmt::format("n = {}", counted(total, "lesion")),
                                  unscored_note(scene, found.panels), marks_note(form, total),
                                  found.fewer),
           .svg = drawing.svg(title),
           .reading =
               "Dots above are lesions that were detected, dots below were missed; click one "
               "to see its case. Intervals treat lesions as independent, which those of one "
               "case are not.",
           .topic = "Lesions"}};
}

}  // namespace assay::report
