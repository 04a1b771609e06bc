// SPDX-License-Identifier: Apache-2.0
/// How stable the order of the models is: the places they take in resamples of the cases or
/// clusters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/base/text.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

std::vector<std::size_t> best_first(const compare::Ranking& ranking) {
  std::vector<std::size_t> order(ranking.models.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t m) { return ranking.models[m].rank; });
  return order;
}

struct RankDot {
  double y = 0, largest = 13;
  std::string_view tone = tone::ink;
};

/// The area of a dot is proportional to the share of resamples, because readers compare areas.
void draw_dots(Drawing& drawing, const Scale& x, const compare::RankStability& rank,
               const RankDot& style) {
  const auto [y, largest, tone] = style;
  drawing.line({x(double(rank.rank_low)), y}, {x(double(rank.rank_high)), y},
               {.stroke = tone, .stroke_width = 1.6});
  for (std::size_t place = 0; place < rank.places.size(); ++place) {
    const double share = rank.places[place];
    if (share < 0.001) continue;
    drawing.circle({x(double(place + 1)), y}, std::max(1.2, largest * std::sqrt(share)),
                   {.fill = tone, .fill_opacity = 0.75});
    drawing.tooltip({x(double(place + 1)) - largest, y - largest, 2 * largest, 2 * largest},
                    fmt::format("place {}: {:.1f} % of resamples", place + 1, 100 * share));
  }
}

std::string tau_words(const compare::Ranking& ranking) {
  if (!ranking.kendall_tau) return "";
  return fmt::format(
      " Kendall's τ between the order of the means and those of the resamples is {:.2f} on average "
      "(middle 95 %: {:.2f} to {:.2f}).",
      ranking.kendall_tau->mean, ranking.kendall_tau->low, ranking.kendall_tau->high);
}

std::string ranks_caption(const compare::Comparison& comparison,
                          const compare::MetricComparison& metric) {
  const compare::Ranking& ranking = metric.ranking;
  return fmt::format(
      "Rank of each model by its mean {} in {} resamples of the {}s (seed {}).{} n = {} cases in "
      "which every model has a value{}.",
      metric_title(metric.metric), comparison.settings.replicates, compare::block_word(ranking),
      comparison.settings.seed, tau_words(ranking), ranking.n,
      ranking.has_clusters ? ", in " + counted(ranking.blocks, "cluster") : "");
}

constexpr std::string_view ranks_reading =
    "The area of a dot is the share of resamples in which the model takes that place. The line "
    "holds the middle 95 %. One large dot means a stable rank; dots in a row mean that other cases "
    "could have given another order.";

Figure ranks(const FigureScene& scene, const compare::MetricComparison& metric) {
  const compare::Comparison& comparison = *scene.study.comparison;
  const std::vector<std::size_t> order = best_first(metric.ranking);
  std::vector<std::string> names;
  names.reserve(order.size());
  for (const std::size_t m : order) names.push_back(comparison.models[m].name);
  const RowLayout layout =
      row_layout({.names = names, .width = scene.width, .row_height = 32, .right_room = 80});
  const double count = double(order.size());
  const Scale x({0.5, count + 0.5}, {layout.plot.x, layout.plot.right()});
  Drawing drawing(scene.width, layout.height());
  for (std::size_t place = 1; place <= order.size(); ++place) {
    const double at = x(double(place));
    drawing.line({at, layout.plot.y}, {at, layout.plot.bottom()}, {.stroke = tone::rule});
    drawing.text({at, layout.plot.bottom() + 13}, std::to_string(place),
                 {.size = small_text, .anchor = Anchor::middle, .tone = tone::muted});
  }
  draw_x_title(drawing, layout.plot,
               "place by mean " + metric_title(metric.metric) + " (1 is best)");
  draw_rows(drawing, layout, names);
  const TextStyle number = {.size = small_text, .anchor = Anchor::end, .tone = tone::muted};
  drawing.text({drawing.width() - 12, 14}, "first", number);
  const double largest = std::min(13.0, layout.plot.width / count * 0.45);
  for (std::size_t row = 0; row < order.size(); ++row) {
    const compare::RankStability& rank = *metric.ranking.models[order[row]].stability;
    draw_dots(drawing, x, rank, {layout.middle(row), largest, model_tone(order[row])});
    drawing.text({drawing.width() - 12, layout.number_y(layout.middle(row))},
                 fmt::format("{:.1f} %", 100 * rank.probability_best), number);
  }
  const std::string title = metric_title(metric.metric) + ": how stable the ranks are";
  return {.key = "ranks-" + key_part(metric.metric.name),
          .title = title,
          .caption = ranks_caption(comparison, metric),
          .svg = drawing.svg(title),
          .reading = std::string(ranks_reading),
          .topic = metric.metric.name};
}

}  // namespace

Figures rank_figures(const FigureScene& scene) {
  Figures figures;
  const compare::Comparison& comparison = *scene.study.comparison;
  for (const compare::MetricComparison& metric : comparison.metrics)
    if (metric.ranking.models.size() == comparison.models.size() &&
        metric.ranking.models.front().stability)
      figures.push_back(ranks(scene, metric));
  return figures;
}

}  // namespace assay::report
