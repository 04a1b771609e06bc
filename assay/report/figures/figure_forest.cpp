// SPDX-License-Identifier: Apache-2.0
/// Differences from the baseline with their intervals, a row per model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/compare/standing.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

constexpr double estimate_room = 150, p_room = 74, right_room = estimate_room + p_room + 20;

/// Replaces infinite ends of intervals, which very few pairs can have.
double finite_or(double value, double otherwise) {
  return std::isfinite(value) ? value : otherwise;
}

Extent domain_of(const compare::MetricComparison& metric) {
  Extent domain = {0, 0};
  for (const compare::PairComparison& pair : metric.pairs) {
    if (pair.n == 0) continue;
    const stats::Interval& d = pair.result.shown();
    const std::array ends = {finite_or(d.estimate, 0), finite_or(d.lower, 0),
                             finite_or(d.upper, 0)};
    domain = *hull(domain, extent_of(ends));
  }
  if (metric.margin) domain = *hull(domain, Extent{-*metric.margin, *metric.margin});
  return padded(domain);
}

std::string_view tone_of(const compare::MetricComparison& metric,
                         const compare::PairComparison& pair) {
  constexpr std::string_view tones[] = {tone::ink, tone::better, tone::worse, tone::ink};
  return tones[static_cast<std::size_t>(compare::standing_of(metric, pair))];
}

void draw_interval(Drawing& drawing, const Scale& x, double y, const stats::Interval& d,
                   std::string_view tone) {
  const Paint paint = {.stroke = tone, .stroke_width = 2};
  if (d.has_limits()) {
    const double low = x(d.lower), high = x(d.upper);
    drawing.line({low, y}, {high, y}, paint);
    drawing.line({low, y - 4}, {low, y + 4}, paint);
    drawing.line({high, y - 4}, {high, y + 4}, paint);
  }
  drawing.box({x(d.estimate) - 4.5, y - 4.5, 9, 9}, {.fill = tone, .radius = 1});
}

std::string interval_words(const stats::Interval& d) {
  if (!d.has_limits()) return signed_number(d.estimate) + ", too few pairs";
  return fmt::format("{} [{}, {}]", signed_number(d.estimate), figure_number(d.lower),
                     figure_number(d.upper));
}

void draw_numbers(Drawing& drawing, double y, const compare::MetricComparison& metric,
                  const compare::PairComparison& pair) {
  if (pair.n == 0) {
    drawing.text({drawing.width() - p_room - 20, y}, "no common value",
                 {.anchor = Anchor::end, .tone = tone::muted});
    return;
  }
  drawing.text({drawing.width() - p_room - 20, y}, interval_words(pair.result.shown()),
               {.size = small_text, .anchor = Anchor::end});
  const double p = pair.result.corrected_p_value;
  drawing.text({drawing.width() - 18, y}, p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p),
               {.size = small_text, .anchor = Anchor::end, .bold = pair.result.is_significant});
  if (const compare::Standing standing = compare::standing_of(metric, pair);
      standing != compare::Standing::undecided)
    drawing.text({drawing.width() - 15, y}, compare::sign(standing),
                 {.size = small_text, .bold = true});
}

std::string level_words(const compare::Comparison& comparison) {
  return fmt::format("{:.4g} %", 100 * (1 - comparison.settings.alpha));
}

void draw_heads(Drawing& drawing, const compare::Comparison& comparison) {
  const TextStyle head = {.size = small_text, .anchor = Anchor::end, .tone = tone::muted};
  drawing.text({drawing.width() - p_room - 20, 14},
               fmt::format("difference [{} CI]", level_words(comparison)), head);
  drawing.text({drawing.width() - 18, 14}, "corrected p", head);
}

std::string pairs_sentence(const compare::MetricComparison& metric) {
  std::size_t least = static_cast<std::size_t>(-1), most = 0, undefined = 0;
  for (const compare::PairComparison& pair : metric.pairs) {
    least = std::min(least, pair.n);
    most = std::max(most, pair.n);
    undefined = std::max(undefined, pair.undefined);  // left out for all models
  }
  std::string out = least >= most ? fmt::format("n = {} pairs", most)
                                  : fmt::format("n = {} to {} pairs", least, most);
  if (undefined != 0)
    out += fmt::format("; {} without a value for every model left out", counted(undefined, "case"));
  return out + ".";
}

std::string forest_caption(const compare::Comparison& comparison,
                           const compare::MetricComparison& metric) {
  const bool across = comparison.settings.across_metrics, several_models = metric.pairs.size() > 1;
  const std::string band =
      metric.margin ? fmt::format(
                          " The grey band is the margin of equivalence, ±{}; equivalence is "
                          "decided by two one-sided tests of the mean and of the pseudo-median.",
                          figure_number(*metric.margin))
                    : "";
  return fmt::format(
      "Difference of each model from {}, with its {} interval{}. {}, significant at {}{}.{} {}",
      comparison.models[comparison.baseline].name, level_words(comparison),
      across           ? ", simultaneous for all models and metrics"
      : several_models ? ", not adjusted for the number of models"
                       : "",
      compare::sign_words, comparison.settings.alpha,
      across ? " after max-T correction"
      : several_models
          ? fmt::format(" after {} correction", correction_words(comparison.settings.correction))
          : "",
      band, pairs_sentence(metric));
}

constexpr std::string_view forest_reading =
    "A square is the Hodges–Lehmann estimate of the pairs that differ: a typical difference "
    "between "
    "the two models on the same case. To the right of zero, the model is higher. An interval that "
    "does not touch zero is a sign that they differ. Blue means better and orange worse.";

Figure forest(const FigureScene& scene, const compare::MetricComparison& metric) {
  const compare::Comparison& comparison = *scene.study.comparison;
  std::vector<std::string> names;
  names.reserve(metric.pairs.size());
  for (const compare::PairComparison& pair : metric.pairs) names.push_back(pair.result.model_name);
  const RowLayout layout =
      row_layout({.names = names, .width = scene.width, .right_room = right_room});
  const Scale x(domain_of(metric), {layout.plot.x, layout.plot.right()});
  Drawing drawing(scene.width, layout.height());
  const double top = layout.plot.y, bottom = layout.plot.bottom();
  if (metric.margin)
    drawing.box({x(-*metric.margin), top, x(*metric.margin) - x(-*metric.margin), bottom - top},
                {.fill = tone::band});
  draw_x_axis(drawing, layout.plot, x, metric_title(metric.metric) + ", model − baseline");
  drawing.line({x(0), top}, {x(0), bottom}, {.stroke = tone::muted, .stroke_width = 1.2});
  draw_rows(drawing, layout, names);
  draw_heads(drawing, comparison);
  for (std::size_t k = 0; k < metric.pairs.size(); ++k) {
    const compare::PairComparison& pair = metric.pairs[k];
    if (pair.n != 0)
      draw_interval(drawing, x, layout.middle(k), pair.result.shown(), tone_of(metric, pair));
    draw_numbers(drawing, layout.number_y(layout.middle(k)), metric, pair);
  }
  const std::string title = fmt::format("{}: differences from {}", metric_title(metric.metric),
                                        comparison.models[comparison.baseline].name);
  return {.key = "forest-" + key_part(metric.metric.name),
          .title = title,
          .caption = forest_caption(comparison, metric),
          .svg = drawing.svg(title),
          .reading = std::string(forest_reading),
          .topic = metric.metric.name};
}

}  // namespace

Figures forest_figures(const FigureScene& scene) {
  Figures figures;
  for (const compare::MetricComparison& metric : scene.study.comparison->metrics)
    if (!metric.pairs.empty()) figures.push_back(forest(scene, metric));
  return figures;
}

}  // namespace assay::report
