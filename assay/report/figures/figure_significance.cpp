// SPDX-License-Identifier: Apache-2.0
/// All pairs of models: who is better than whom after correction.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/statistics.hpp"

namespace assay::report {
namespace {

struct Pair {
  std::size_t row = 0, column = 0;  ///< models
  std::size_t n = 0;
  double effect = 0;  ///< rank-biserial of row - column, higher is better
  double pvalue = 1;
  bool differs = false;
};

/// A scipy policy gives no p-value if no values differ.
double pvalue_of(const std::vector<double>& d, const compare::CompareSettings& settings) {
  if (std::ranges::all_of(d, [](double x) { return x == 0; })) return 1;
  const stats::WilcoxonOptions options = {.policy = settings.policy,
                                          .tie_tolerance = settings.tie_tolerance};
  const double p = stats::wilcoxon(d, options).pvalue;
  return std::isnan(p) ? 1 : p;
}

Pair pair_of(const compare::ValueTable& gains, std::size_t row, std::size_t column,
             const compare::CompareSettings& settings) {
  std::vector<double> d;
  for (std::size_t k = 0; k < gains[row].size(); ++k)
    if (gains[row][k] && gains[column][k]) d.push_back(*gains[row][k] - *gains[column][k]);
  Pair pair = {.row = row, .column = column, .n = d.size()};
  if (d.empty()) return pair;
  pair.effect = stats::rank_biserial(d);
  pair.pvalue = pvalue_of(d, settings);
  return pair;
}

std::vector<Pair> all_pairs(const compare::ValueTable& gains,
                            const compare::CompareSettings& settings) {
  std::vector<Pair> pairs;
  std::vector<double> pvalues;
  for (std::size_t row = 0; row < gains.size(); ++row)
    for (std::size_t column = row + 1; column < gains.size(); ++column) {
      pairs.push_back(pair_of(gains, row, column, settings));
      pvalues.push_back(pairs.back().pvalue);
    }
  const stats::Adjusted adjusted = stats::adjust(pvalues, settings.correction, settings.alpha);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    pairs[k].pvalue = adjusted.pvalues[k];
    pairs[k].differs = adjusted.reject[k] && pairs[k].n >= stats::least_pairs;
  }
  return pairs;
}

/// The position of each model: the best mean first, or the order given.
std::vector<std::size_t> positions(const compare::MetricComparison& metric, std::size_t models) {
  std::vector<std::size_t> order(models), places(models);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (metric.ranking.models.size() == models)
    std::ranges::stable_sort(order, {},
                             [&](std::size_t m) { return metric.ranking.models[m].rank; });
  for (std::size_t place = 0; place < models; ++place) places[order[place]] = place;
  return places;
}

struct Matrix {
  Frame plot{};
  double cell = 0;
  std::vector<std::size_t> places{};  ///< of models

  Frame at(std::size_t row, std::size_t column) const {
    return {plot.x + double(places[column]) * cell, plot.y + double(places[row]) * cell, cell,
            cell};
  }
};

Matrix matrix_for(const FigureScene& scene, std::vector<std::size_t> places) {
  double widest = 30;
  for (const std::string& name : scene.names) widest = std::max(widest, text_width(name, 12));
  const double width = scene.width, count = double(places.size());
  const double label = std::min({widest, 170.0, 0.3 * width}) + 16;
  const double free = width >= roomy_width ? width - 2 * label - 20 : width - label - 10;
  const double cell = std::min(64.0, free / count);
  const double left = std::max(label, (width - cell * count) / 2);
  return {{left, label, cell * count, cell * count}, cell, std::move(places)};
}

void draw_model_names(Drawing& drawing, const Matrix& matrix, std::span<const std::string> names) {
  for (std::size_t m = 0; m < names.size(); ++m) {
    const Frame own = matrix.at(m, m);
    drawing.text({matrix.plot.x - 8, own.center().y}, names[m],
                 {.anchor = Anchor::end, .room = matrix.plot.x - 12});
    drawing.text({own.center().x, matrix.plot.y - 8}, names[m],
                 {.upright = false, .room = matrix.plot.y - 12});
    drawing.box(own, {.fill = tone::band, .stroke = tone::paper});
  }
}

double fill_strength(double effect) {
  return strongest_fill * (0.4 + 0.6 * std::fabs(effect));
}

void draw_cell(Drawing& drawing, const Matrix& matrix, const Pair& pair,
               std::span<const std::string> names) {
  for (const bool turned : {false, true}) {
    const std::size_t row = turned ? pair.column : pair.row;
    const std::size_t column = turned ? pair.row : pair.column;
    const Frame box = matrix.at(row, column);
    const bool wins = (pair.effect > 0) != turned;
    const std::string_view tone = !pair.differs ? tone::band : wins ? tone::better : tone::worse;
    drawing.box(box, {.fill = tone,
                      .stroke = tone::paper,
                      .fill_opacity = pair.differs ? fill_strength(pair.effect) : 1});
    const std::string p = pair.pvalue < 0.001 ? "<.001" : fmt::format("{:.3f}", pair.pvalue);
    if (matrix.cell >= 40)
      drawing.text(box.center(), pair.n == 0 ? "–" : p,
                   {.size = small_text,
                    .anchor = Anchor::middle,
                    .tone = pair.differs ? tone::ink : tone::muted});
    drawing.tooltip(box, fmt::format("{} against {}: corrected p {}, rank-biserial {}, n = {}",
                                     names[row], names[column], p,
                                     signed_number(turned ? -pair.effect : pair.effect), pair.n));
  }
}

constexpr std::string_view significance_reading =
    "A blue cell means that the model of its row is better than that of its column, orange that it "
    "is worse, grey that no difference is shown. The number is the corrected p-value. The stronger "
    "the colour, the larger the rank-biserial correlation.";

std::string significance_caption(const compare::Comparison& comparison,
                                 const compare::MetricComparison& metric,
                                 std::span<const Pair> pairs) {
  const auto by_n = [](const Pair& a, const Pair& b) { return a.n < b.n; };
  const auto [least, most] = std::ranges::minmax_element(pairs, by_n);
  return fmt::format(
      "All pairs of models in {}, best mean first. Wilcoxon signed-rank tests, {} correction for "
      "{} "
      "pairs, level {}. n = {}{} cases.",
      metric_title(metric.metric), correction_words(comparison.settings.correction), pairs.size(),
      comparison.settings.alpha, least->n == most->n ? "" : fmt::format("{} to ", least->n),
      most->n);
}

Figure map(const FigureScene& scene, const compare::MetricComparison& metric) {
  const compare::Comparison& comparison = *scene.study.comparison;
  const compare::ValueTable gains = compare::as_gain(metric.values.values, metric.metric.better);
  const std::vector<Pair> pairs = all_pairs(gains, comparison.settings);
  const Matrix matrix = matrix_for(scene, positions(metric, gains.size()));
  Drawing drawing(scene.width, matrix.plot.bottom() + 12);
  draw_model_names(drawing, matrix, scene.names);
  for (const Pair& pair : pairs) draw_cell(drawing, matrix, pair, scene.names);
  const std::string title = metric_title(metric.metric) + ": all pairs of models";
  return {.key = "significance-" + key_part(metric.metric.name),
          .title = title,
          .caption = significance_caption(comparison, metric, pairs),
          .svg = drawing.svg(title),
          .reading = std::string(significance_reading),
          .topic = metric.metric.name};
}

}  // namespace

/// For three or more models, since the forest figure compares two. Not for clustered cases, which
/// would need other tests.
Figures significance_figures(const FigureScene& scene) {
  Figures figures;
  const compare::Comparison& comparison = *scene.study.comparison;
  if (scene.names.size() < 3 || !comparison.settings.cluster.empty()) return figures;
  for (const compare::MetricComparison& metric : comparison.metrics)
    if (metric.metric.better != metrics::Better::neither) figures.push_back(map(scene, metric));
  return figures;
}

}  // namespace assay::report
