// SPDX-License-Identifier: Apache-2.0
/// Every paired difference from the baseline, sorted, a panel per model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

struct Difference {
  double value = 0;
  std::size_t place = 0;  ///< of the case in the study
};

struct Panel {
  std::size_t model = 0;
  std::vector<Difference> sorted{};
  std::size_t better = 0, worse = 0;
};

/// 1 for a gain, -1 for a loss.
int sign_of(double difference, metrics::Better better) {
  if (difference == 0 || better == metrics::Better::neither) return 0;
  return (difference > 0) == (better == metrics::Better::higher) ? 1 : -1;
}

std::string_view tone_of(int sign) {
  constexpr std::string_view tones[] = {tone::worse, tone::muted, tone::better};
  return tones[sign + 1];
}

/// A value near zero is compared by its size.
double compared(double value, metrics::Better better) {
  return better == metrics::Better::zero ? std::fabs(value) : value;
}

std::vector<Panel> panels_of(const FigureScene& scene,
                             const compare::MetricComparison& compared_metric) {
  const compare::Comparison& comparison = *scene.study.comparison;
  const compare::ComparedMetric& metric = compared_metric.metric;
  const compare::ValueTable& values = compared_metric.values.values;
  std::vector<Panel> panels;
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (m == comparison.baseline) continue;
    Panel& panel = panels.emplace_back(Panel{.model = m});
    for (std::size_t k = 0; k < values[m].size(); ++k) {
      const auto &ours = values[m][k], &theirs = values[comparison.baseline][k];
      if (!ours || !theirs) continue;
      const double d = compared(*ours, metric.better) - compared(*theirs, metric.better);
      panel.sorted.push_back({d, matched_place(scene, m, k)});
      panel.better += sign_of(d, metric.better) == 1 ? 1U : 0U;
      panel.worse += sign_of(d, metric.better) == -1 ? 1U : 0U;
    }
    std::ranges::stable_sort(panel.sorted, {}, &Difference::value);
  }
  return panels;
}

Extent domain_of(std::span<const Panel> panels) {
  Extent domain = {0, 0};
  for (const Panel& panel : panels)
    if (!panel.sorted.empty())
      domain = *hull(domain, Extent{panel.sorted.front().value, panel.sorted.back().value});
  return padded(domain);
}

void draw_curve(Drawing& drawing, const PanelScales& scale, std::span<const Difference> sorted) {
  constexpr std::size_t points = 200;
  std::vector<Spot> curve;
  for (std::size_t k = 0; k < points; ++k) {
    const std::size_t i = k * (sorted.size() - 1) / (points - 1);
    curve.push_back({scale.x(double(i + 1)), scale.y(sorted[i].value)});
  }
  drawing.path(polyline(curve), {.stroke = tone::ink, .stroke_width = 1.8});
}

struct DotStyle {
  MarkForm form = MarkForm::circles;
  metrics::Better better = metrics::Better::higher;
  bool named = true;
};

void draw_dots(Drawing& drawing, const PanelScales& scale, const Panel& panel,
               const DotStyle& style) {
  for (const int sign : {-1, 0, 1}) {
    std::vector<Mark> dots;
    for (std::size_t i = 0; i < panel.sorted.size(); ++i)
      if (sign_of(panel.sorted[i].value, style.better) == sign)
        dots.push_back(
            {panel.sorted[i].place, {scale.x(double(i + 1)), scale.y(panel.sorted[i].value)}});
    const MarkStyle own = {
        .owner = panel.model, .named = style.named, .tone = tone_of(sign), .opacity = 0.75};
    drawing.add(marks(dots, crowded(own, panel.sorted.size()), style.form));
  }
}

void draw_estimate(Drawing& drawing, const Frame& plot, const Scale& y,
                   const compare::PairComparison& pair) {
  if (pair.n == 0) return;
  const stats::Interval& d = pair.result.shown();
  if (std::isfinite(d.lower) && std::isfinite(d.upper))
    drawing.box({plot.x, y(d.upper), plot.width, std::max(y(d.lower) - y(d.upper), 0.5)},
                {.fill = tone::muted, .fill_opacity = 0.18});
  drawing.line({plot.x, y(d.estimate)}, {plot.right(), y(d.estimate)},
               {.stroke = tone::muted, .dashes = "4 3"});
}

constexpr std::string_view differences_reading =
    "Blue where the model is better, orange where it is worse. The further the curve runs from "
    "zero, and the longer on one side, the larger and the more consistent the difference.";

std::string differences_caption(const compare::Comparison& comparison,
                                std::span<const Panel> panels,
                                const compare::ComparedMetric& metric, MarkForm form) {
  std::size_t least = static_cast<std::size_t>(-1), most = 0, total = 0;
  for (const Panel& panel : panels) {
    least = std::min(least, panel.sorted.size());
    most = std::max(most, panel.sorted.size());
    total += panel.sorted.size();
  }
  const std::size_t left_out = comparison.matching.ids.size() * panels.size() - total;
  return fmt::format(
      "{} of each model minus that of {}, case by case and sorted, with the Hodges–Lehmann "
      "estimate "
      "of the pairs that differ (dashes) and its {:.4g} % interval (grey).{} n = {} pairs per "
      "model{}.",
      metric_title(metric), comparison.models[comparison.baseline].name,
      100 * (1 - comparison.settings.alpha), marks_note(form, total),
      least >= most ? std::to_string(most) : fmt::format("{} to {}", least, most),
      left_out == 0 ? ""
                    : fmt::format("; {} without a value for every model are left out", left_out));
}

std::string counts_note(const Panel& panel, metrics::Better better) {
  return better == metrics::Better::neither
             ? ""
             : fmt::format("{} better, {} worse", panel.better, panel.worse);
}

void draw_one(Drawing& drawing, const Frame& plot, const PanelScales& scale, const Panel& panel,
              const DotStyle& style) {
  drawing.line({plot.x, scale.y(0)}, {plot.right(), scale.y(0)}, {.stroke = tone::muted});
  if (style.form != MarkForm::none)
    draw_dots(drawing, scale, panel, style);
  else if (!panel.sorted.empty())
    draw_curve(drawing, scale, panel.sorted);
}

Figure differences(const FigureScene& scene, const compare::MetricComparison& metric) {
  const compare::Comparison& comparison = *scene.study.comparison;
  const std::vector<Panel> panels = panels_of(scene, metric);
  std::size_t total = 0, longest = 1;
  for (const Panel& panel : panels) {
    total += panel.sorted.size();
    longest = std::max(longest, panel.sorted.size());
  }
  const MarkForm form = mark_form(total);
  const PanelLayout layout =
      panel_layout(panels.size(), panels.size() == 1 ? 220 : 130, scene.width);
  Drawing drawing(scene.width, layout.height);
  const Extent domain = domain_of(panels);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const Frame& plot = layout.plots[k];
    const PanelScales scale = panel_scales(plot, {0.5, double(longest) + 0.5}, domain);
    draw_estimate(drawing, plot, scale.y, metric.pairs[k]);
    const std::string y_title = metric_title(metric.metric) + ", model − baseline";
    const std::string note = counts_note(panels[k], metric.metric.better);
    draw_panel(drawing, layout, k, scene.names[panels[k].model],
               {scale.x, scale.y, "cases, sorted by their difference", y_title, note});
    draw_one(drawing, plot, scale, panels[k],
             {form, metric.metric.better, !scene.places[panels[k].model].empty()});
  }
  const std::string title = fmt::format("{}: case by case against {}", metric_title(metric.metric),
                                        comparison.models[comparison.baseline].name);
  return {.key = "differences-" + key_part(metric.metric.name),
          .title = title,
          .caption = differences_caption(comparison, panels, metric.metric, form),
          .svg = drawing.svg(title),
          .reading = std::string(differences_reading),
          .topic = metric.metric.name};
}

}  // namespace

Figures difference_figures(const FigureScene& scene) {
  Figures figures;
  for (const compare::MetricComparison& metric : scene.study.comparison->metrics)
    if (metric.pairs.size() + 1 == scene.names.size())
      figures.push_back(differences(scene, metric));
  return figures;
}

}  // namespace assay::report
