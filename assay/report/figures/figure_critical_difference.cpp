// SPDX-License-Identifier: Apache-2.0
/// Demšar's (2006) diagram: mean ranks on a line, bars over models between which the Nemenyi test
/// shows no difference.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

constexpr double side_width = 200, label_step = 20, bar_step = 9, axis_y = 62;

/// Models from the best mean rank to the worst.
struct Ranked {
  std::vector<std::size_t> order{};
  std::vector<double> ranks{};  ///< ascending
};

Ranked ranked(const compare::Ranking& ranking) {
  Ranked out;
  out.order.resize(ranking.models.size());
  std::iota(out.order.begin(), out.order.end(), std::size_t{0});
  std::ranges::stable_sort(out.order, {},
                           [&](std::size_t m) { return ranking.models[m].mean_rank; });
  for (const std::size_t m : out.order) out.ranks.push_back(ranking.models[m].mean_rank);
  return out;
}

struct Clique {
  std::size_t first = 0, last = 0;
};

/// The longest runs of models whose ranks differ by less than the critical difference.
std::vector<Clique> cliques_of(const std::vector<double>& ranks, double critical) {
  std::vector<Clique> cliques;
  for (std::size_t first = 0; first < ranks.size(); ++first) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] - ranks[first] < critical) ++last;
    const bool is_longest = cliques.empty() || last > cliques.back().last;
    if (last > first && is_longest) cliques.push_back({first, last});
  }
  return cliques;
}

void draw_ruler(Drawing& drawing, const Scale& x, std::size_t models, double critical) {
  drawing.line({x(1), axis_y}, {x(double(models)), axis_y}, {.stroke = tone::ink});
  for (std::size_t rank = 1; rank <= models; ++rank) {
    const double at = x(double(rank));
    drawing.line({at, axis_y - 5}, {at, axis_y}, {.stroke = tone::ink});
    drawing.text({at, axis_y - 14}, std::to_string(rank),
                 {.size = small_text, .anchor = Anchor::middle, .tone = tone::muted});
  }
  const double end = std::min(1 + critical, double(models));
  drawing.line({x(1), 22}, {x(end), 22}, {.stroke = tone::ink, .stroke_width = 2});
  const std::string words = "critical difference " + figure_number(critical);
  const double room = drawing.width() - 8 - text_width(words, small_text);
  drawing.text(x(end) + 8 <= room ? Spot{x(end) + 8, 22} : Spot{x(1), 8}, words,
               {.size = small_text, .tone = tone::muted});
}

/// Leaders bend down from the ruler and out to the nearer side.
void draw_names(Drawing& drawing, const Scale& x, const Ranked& models,
                const compare::Comparison& comparison, double from) {
  const std::size_t half = (models.order.size() + 1) / 2;
  for (std::size_t k = 0; k < models.order.size(); ++k) {
    const bool is_left = k < half;
    const std::size_t row = is_left ? k : models.order.size() - 1 - k;
    const double y = from + double(row) * label_step, at = x(models.ranks[k]);
    const double edge = is_left ? side_width - 4 : drawing.width() - side_width + 4;
    const Spot points[] = {{at, axis_y}, {at, y}, {edge, y}};
    drawing.path(polyline(points), {.stroke = model_tone(models.order[k]), .stroke_width = 1.2});
    drawing.circle({at, axis_y}, 3, {.fill = model_tone(models.order[k])});
    const std::string number = fmt::format("{:.2f}", models.ranks[k]);
    const double step = is_left ? -5 : 5, number_room = 40;
    const Anchor anchor = is_left ? Anchor::end : Anchor::start;
    drawing.text({edge + step, y}, number,
                 {.size = small_text, .anchor = anchor, .tone = tone::muted});
    drawing.text({edge + step + (is_left ? -number_room : number_room), y},
                 comparison.models[models.order[k]].name,
                 {.anchor = anchor, .room = side_width - number_room - 18});
  }
}

constexpr std::string_view critical_difference_reading =
    "Models joined by a bar differ by less than the critical difference, so no difference between "
    "them is shown.";

std::string critical_difference_caption(const compare::Comparison& comparison,
                                        const compare::MetricComparison& metric) {
  const compare::Ranking& ranking = metric.ranking;
  return fmt::format(
      "Mean rank of each model over the {}s in {}; 1 is best. The critical difference is {} at {} "
      "(Nemenyi test, after Friedman's: {}, Kendall's W {}). n = {} cases in which every model has "
      "a value{}.",
      compare::block_word(ranking), metric_title(metric.metric),
      figure_number(*ranking.critical_difference), comparison.settings.alpha,
      compare::plain_pvalue(ranking.friedman->f_pvalue), figure_number(ranking.friedman->kendall_w),
      ranking.n, ranking.has_clusters ? "; " + compare::block_note(ranking) : "");
}

/// The diagram in its usual form, with names on both sides of a ruler.
Drawing wide_diagram(const compare::Comparison& comparison, const Ranked& models, double critical,
                     double width) {
  const std::vector<Clique> cliques = cliques_of(models.ranks, critical);
  const double names_from = axis_y + 22 + double(cliques.size()) * bar_step;
  const std::size_t rows = (models.order.size() + 1) / 2;
  Drawing drawing(width, names_from + double(rows) * label_step + 4);
  const Scale x({1, double(models.order.size())}, {side_width + 10, width - side_width - 10});
  draw_names(drawing, x, models, comparison, names_from);
  draw_ruler(drawing, x, models.order.size(), critical);
  for (std::size_t k = 0; k < cliques.size(); ++k) {
    const double y = axis_y + 10 + double(k) * bar_step;
    drawing.line({x(models.ranks[cliques[k].first]) - 4, y},
                 {x(models.ranks[cliques[k].last]) + 4, y},
                 {.stroke = tone::ink, .stroke_width = 4});
  }
  return drawing;
}

/// The same for a narrow column: a row per model, and bars that join rows.
Drawing narrow_diagram(const compare::Comparison& comparison, const Ranked& models, double critical,
                       double width) {
  const std::vector<Clique> cliques = cliques_of(models.ranks, critical);
  std::vector<std::string> names;
  for (const std::size_t m : models.order) names.push_back(comparison.models[m].name);
  const double bars_room = 10 + double(cliques.size()) * bar_step;
  const RowLayout layout = row_layout({.names = names,
                                       .width = width - bars_room,
                                       .row_height = 20,
                                       .right_room = 50,
                                       .top = axis_y + 8});
  Drawing drawing(width, layout.plot.bottom() + 10);
  const Scale x({1, double(names.size())}, {layout.plot.x + 4, layout.plot.right() - 4});
  draw_ruler(drawing, x, names.size(), critical);
  draw_rows(drawing, layout, names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double y = layout.middle(k), at = x(models.ranks[k]);
    drawing.line({x(1), y}, {x(double(names.size())), y}, {.stroke = tone::rule});
    drawing.circle({at, y}, 4, {.fill = model_tone(models.order[k])});
    drawing.text({width - bars_room - 6, layout.number_y(y)},
                 fmt::format("{:.2f}", models.ranks[k]),
                 {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
  }
  for (std::size_t k = 0; k < cliques.size(); ++k) {
    const double at = width - bars_room + 8 + double(k) * bar_step;
    drawing.line({at, layout.top(cliques[k].first) + 4}, {at, layout.top(cliques[k].last + 1) - 4},
                 {.stroke = tone::ink, .stroke_width = 4});
  }
  return drawing;
}

Figure diagram(const FigureScene& scene, const compare::MetricComparison& metric) {
  const compare::Comparison& comparison = *scene.study.comparison;
  const Ranked models = ranked(metric.ranking);
  const double critical = *metric.ranking.critical_difference;
  const auto draw = scene.width < roomy_width ? narrow_diagram : wide_diagram;
  const Drawing drawing = draw(comparison, models, critical, scene.width);
  const std::string title = metric_title(metric.metric) + ": critical difference";
  return {.key = "critical-difference-" + key_part(metric.metric.name),
          .title = title,
          .caption = critical_difference_caption(comparison, metric),
          .svg = drawing.svg(title),
          .reading = std::string(critical_difference_reading),
          .topic = metric.metric.name};
}

}  // namespace

Figures critical_difference_figures(const FigureScene& scene) {
  Figures figures;
  const compare::Comparison& comparison = *scene.study.comparison;
  for (const compare::MetricComparison& metric : comparison.metrics)
    if (metric.ranking.friedman && metric.ranking.critical_difference &&
        metric.ranking.models.size() == comparison.models.size())
      figures.push_back(diagram(scene, metric));
  return figures;
}

}  // namespace assay::report
