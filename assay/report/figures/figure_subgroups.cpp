// SPDX-License-Identifier: Apache-2.0
/// Means within subgroups of the cases, such as sites.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "assay/compare/standing.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/report/text/comparison_report.hpp"

namespace assay::report {
namespace {

using Subgroups = std::span<const compare::Subgroup>;

/// The domain of all means and intervals of one metric, limited to possible values.
Extent domain_of(Subgroups groups, std::size_t metric, Extent possible) {
  std::optional<Extent> data;
  for (const compare::Subgroup& group : groups)
    for (const metrics::Summary& summary : group.metrics[metric].models) {
      if (!summary.mean) continue;
      const auto limits = summary.ci95.value_or(std::pair(*summary.mean, *summary.mean));
      data = hull(data, extent_of(std::array{*summary.mean, std::max(limits.first, possible.low),
                                             std::min(limits.second, possible.high)}));
    }
  return padded(data.value_or(Extent{0, 1}), possible);
}

/// Whether the model is better or worse than the baseline within the subgroup.
compare::Standing standing_within(const compare::Comparison& comparison,
                                  const compare::MetricComparison& metric, std::size_t model) {
  if (model == comparison.baseline) return compare::Standing::undecided;
  const std::size_t pair = model - (model > comparison.baseline ? 1 : 0);
  return pair < metric.pairs.size() ? compare::standing_of(metric, metric.pairs[pair])
                                    : compare::Standing::undecided;
}

void draw_mean(Drawing& drawing, const Scale& x, double y, const metrics::Summary& summary,
               std::string_view tone) {
  if (summary.ci95)
    drawing.line({x(summary.ci95->first), y}, {x(summary.ci95->second), y},
                 {.stroke = tone, .stroke_width = 2});
  drawing.circle({x(*summary.mean), y}, 4, {.fill = tone, .stroke = tone::paper});
}

/// The mean, the number of cases, and the sign of a significant difference if there is one.
void draw_numbers(Drawing& drawing, double y, const metrics::Summary& summary,
                  compare::Standing standing) {
  const bool is_sign = standing != compare::Standing::undecided;
  drawing.text({drawing.width() - 10, y}, std::to_string(summary.n),
               {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
  drawing.text({drawing.width() - 52, y}, summary.mean ? figure_number(*summary.mean) : "–",
               {.size = small_text, .anchor = Anchor::end, .bold = is_sign});
  if (is_sign)
    drawing.text({drawing.width() - 50, y}, compare::sign(standing),
                 {.size = small_text, .bold = true});
}

Figure panel(const FigureScene& scene, Subgroups groups, std::size_t k) {
  const compare::Comparison& comparison = *scene.study.comparison;
  const compare::MetricComparison& whole = comparison.metrics[k];
  const FigureMetric metric = figure_metric(whole.metric);
  std::vector<std::string> models, titles;
  models.reserve(comparison.models.size());
  titles.reserve(groups.size());
  for (const compare::ComparedModel& model : comparison.models) models.push_back(model.name);
  for (const compare::Subgroup& group : groups)
    titles.push_back(
        fmt::format("{} = {}", group.column, group.value.empty() ? "(none)" : group.value));
  const GroupedRows rows = grouped_rows(models, groups.size(), scene.width);
  const Frame& plot = rows.layout.plot;
  const Scale x(domain_of(groups, k, metric.possible), {plot.x, plot.right()});
  Drawing drawing(scene.width, rows.layout.height());
  draw_x_axis(drawing, plot, x, axis_title(metric));
  draw_group_names(drawing, rows, titles, models);
  const TextStyle head = {.size = small_text, .anchor = Anchor::end, .tone = tone::muted};
  drawing.text({drawing.width() - 52, 14}, "mean", head);
  drawing.text({drawing.width() - 10, 14}, "n", head);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t m = 0; m < models.size(); ++m) {
      const compare::MetricComparison& part = groups[g].metrics[k];
      const double y = rows.row(g, m);
      if (part.models[m].mean) draw_mean(drawing, x, y, part.models[m], model_tone(m));
      draw_numbers(drawing, rows.layout.number_y(y), part.models[m],
                   standing_within(comparison, part, m));
    }
  const std::string title = fmt::format("{} by {}", metric.short_title, groups.front().column);
  const std::string interaction = interaction_words(comparison, groups, k);
  return {
      .key = fmt::format("subgroups-{}-{}", key_part(groups.front().column), key_part(metric.name)),
      .title = title,
      .caption = fmt::format(
          "Mean {} within each {}, with the 95 % interval of Student's t{}. {} than {} within the "
          "subgroup, corrected over all subgroups and models.{} n = cases with a value.",
          title_in_sentence(metric), groups.front().column,
          comparison.settings.cluster.empty() ? "" : " with a cluster-robust standard error",
          compare::sign_words, comparison.models[comparison.baseline].name,
          interaction.empty() ? "" : " " + interaction),
      .svg = drawing.svg(title),
      .reading = "Intervals of few cases are wide, and their overlap does not prove equality.",
      .topic = metric.name};
}

}  // namespace

Figures subgroup_figures(const FigureScene& scene) {
  const compare::Comparison& comparison = *scene.study.comparison;
  const Subgroups all = comparison.subgroups;
  Figures figures;
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = from + 1;
    while (to < all.size() && all[to].column == all[from].column) ++to;
    for (std::size_t k = 0; k < comparison.metrics.size(); ++k)
      figures.push_back(panel(scene, all.subspan(from, to - from), k));
    from = to;
  }
  return figures;
}

}  // namespace assay::report
