// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/standing.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string headline(const compare::Comparison& comparison, bool color) {
  const std::string& baseline = comparison.models[comparison.baseline].name;
  std::string out =
      bold(fmt::format("{} models against {}", comparison.models.size() - 1, printable(baseline)),
           color) +
      fmt::format(", paired on {}", counted(comparison.matching.ids.size(), "case"));
  if (comparison.models.size() == 2) {
    const std::string& other = comparison.models[1 - comparison.baseline].name;
    out = bold(fmt::format("{} against {}", printable(other), printable(baseline)), color) +
          fmt::format(", paired on {}", counted(comparison.matching.ids.size(), "case"));
  }
  if (!comparison.matching.left_out.empty())
    out += fmt::format(" · {} left out", comparison.matching.left_out.size());
  if (const auto& labels = comparison.settings.choice.labels; !labels.empty())
    out += (labels.size() == 1 ? " · label " : " · labels ") + printable(joined(labels));
  return out + "\n\n";
}

std::string sentences(const compare::Comparison& comparison) {
  std::string out;
  for (const compare::MetricComparison& metric : comparison.metrics)
    for (const compare::PairComparison& pair : metric.pairs)
      out +=
          printable(compare::sentence(metric, pair, comparison.models[comparison.baseline].name)) +
          "\n";
  return "\n" + out;
}

/// The failures of each model, stated once for all metrics that share them.
std::string failures(const compare::Comparison& comparison) {
  const std::string& baseline = comparison.models[comparison.baseline].name;
  std::vector<std::pair<std::string, std::string>> found;  // sentence and metrics
  for (const compare::MetricComparison& metric : comparison.metrics)
    for (const compare::PairComparison& pair : metric.pairs) {
      const std::string text =
          compare::failure_sentence(pair, baseline, comparison.matching.ids.size());
      if (text.empty()) continue;
      auto same = std::ranges::find(found, text, &std::pair<std::string, std::string>::first);
      if (same == found.end()) same = found.insert(found.end(), {text, ""});
      same->second += (same->second.empty() ? "" : ", ") + words(metric.metric);
    }
  std::string out;
  for (const auto& [text, metrics] : found)
    out += fmt::format("failures ({}): {}.\n", printable(metrics), printable(text));
  return out;
}

/// What the folds of a cross-validation say about the algorithms, if requested.
std::string algorithms(const compare::Comparison& comparison, bool color) {
  std::string out;
  for (const compare::MetricComparison& metric : comparison.metrics)
    for (const compare::PairComparison& pair : metric.pairs)
      if (const std::string text = compare::algorithm_sentence(
              metric, pair, comparison.models[comparison.baseline].name);
          !text.empty())
        out += printable(text) + "\n";
  if (out.empty()) return out;
  return "\n" +
         bold("algorithms, by the corrected resampled t test over folds (Nadeau and Bengio 2003)",
              color) +
         "\n\n" + out;
}

std::string places(const compare::RankStability& rank) {
  return rank.rank_low == rank.rank_high ? std::to_string(rank.rank_low)
                                         : fmt::format("{} – {}", rank.rank_low, rank.rank_high);
}

/// A table headed by the metric, such as "dice", with a row per model, best first. It has ranks by
/// means, by resamples if there are any, by ranks within blocks, and by tests.
std::string rank_table(const compare::Comparison& comparison,
                       const compare::MetricComparison& metric) {
  const compare::Ranking& ranking = metric.ranking;
  const bool resampled = compare::stability_gap(ranking).empty();
  std::vector<Column> columns = {{printable(words(metric.metric)), Align::left}, {"by mean"}};
  if (resampled) columns.insert(columns.end(), {{"95 % of resamples"}, {"first"}});
  columns.push_back({"by mean rank"});
  const bool tested = ranking.models.front().by_tests.has_value();
  if (tested) columns.push_back({"by tests"});
  std::vector<std::size_t> order(ranking.models.size());
  for (std::size_t m = 0; m < order.size(); ++m) order[m] = m;
  std::ranges::stable_sort(order, {}, [&](std::size_t m) { return ranking.models[m].rank; });
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t m : order) {
    const compare::ModelRank& rank = ranking.models[m];
    auto& row = rows.emplace_back();
    row = {printable(comparison.models[m].name), fmt::format("{:g}", rank.rank)};
    if (resampled) {
      row.push_back(places(*rank.stability));
      row.push_back(fmt::format("{:.1f} %", 100 * rank.stability->probability_best));
    }
    row.push_back(fmt::format("{:g} ({:.2f})", rank.rank_of_mean_rank, rank.mean_rank));
    if (tested) row.push_back(fmt::format("{:g} ({})", rank.by_tests->rank, rank.by_tests->wins));
  }
  return text_table(columns, rows);
}

/// Explains that no model could have won by tests, whatever the data: with so few blocks, the
/// smallest possible one-sided p-value does not pass the first step of Holm's correction.
std::string hopeless_wins(const compare::Comparison& comparison, const compare::Ranking& ranking) {
  const double models = static_cast<double>(ranking.models.size()), pairs = models * (models - 1);
  const double least = std::exp2(-static_cast<double>(ranking.blocks));
  if (!ranking.models.front().by_tests || least * pairs <= comparison.settings.alpha) return "";
  return fmt::format("no model could win by tests: {} are too few for {:.0f} ordered pairs\n",
                     counted(ranking.blocks, compare::block_word(ranking)), pairs);
}

std::string ranking_of(const compare::Comparison& comparison,
                       const compare::MetricComparison& metric) {
  const compare::Ranking& ranking = metric.ranking;
  std::string out = rank_table(comparison, metric);
  out += hopeless_wins(comparison, ranking);
  if (const std::string gap = compare::stability_gap(ranking); !gap.empty()) out += gap + "\n";
  if (ranking.kendall_tau)
    out += fmt::format(
        "mean Kendall's τ between this order and that of each resample: {:.2f} (middle 95 %: "
        "{:.2f} to {:.2f})\n",
        ranking.kendall_tau->mean, ranking.kendall_tau->low, ranking.kendall_tau->high);
  if (ranking.friedman && ranking.critical_difference)
    out +=
        fmt::format("Friedman {}; mean ranks differ when {:.2f} or more apart (Nemenyi){}\n",
                    compare::plain_pvalue(ranking.friedman->f_pvalue), *ranking.critical_difference,
                    ranking.has_clusters ? "; " + compare::block_note(ranking) : "");
  return out;
}

/// Explains the columns of the tables.
std::string rank_legend(const compare::Ranking& ranking) {
  return fmt::format(
      "\nby mean: rank of the mean\nby mean rank: rank of the mean rank over the {}s (in "
      "brackets)\nby tests: rank of the number of models that this model beats (in brackets), by "
      "one-sided signed-rank tests, Holm-corrected over all ordered pairs of models\n",
      compare::block_word(ranking));
}

/// Nothing for two models: ranks would only repeat their test.
std::string rankings(const compare::Comparison& comparison, bool color) {
  std::string out;
  const compare::Ranking* shown = nullptr;
  std::size_t blocks = 0;
  for (const compare::MetricComparison& metric : comparison.metrics) {
    if (metric.ranking.n == 0) continue;
    shown = &metric.ranking;
    blocks = std::max(blocks, metric.ranking.blocks);
    out += "\n" + ranking_of(comparison, metric);
  }
  if (shown == nullptr) return "";
  if (comparison.models.size() < compare::least_resampled_models)
    return "\n" + compare::stability_gap(*shown) + "\n";
  std::string title = "ranks";
  if (blocks >= compare::least_resampled_blocks)
    title += fmt::format(", with {} resamples of the {}s (seed {})", comparison.settings.replicates,
                         compare::block_word(*shown), comparison.settings.seed);
  return "\n" + bold(title, color) + "\n" + out + rank_legend(*shown);
}

std::string subgroup_cell(const compare::MetricComparison& metric, std::size_t model,
                          compare::Standing standing) {
  const metrics::Summary& s = metric.models[model];
  if (!s.mean) return "–";
  return fmt::format("{}{}", compare::plain_number(*s.mean),
                     standing == compare::Standing::undecided ? " " : compare::sign(standing));
}

bool has_sign(std::span<const compare::Subgroup> subgroups, std::size_t metric) {
  return std::ranges::any_of(subgroups, [&](const compare::Subgroup& subgroup) {
    const compare::MetricComparison& part = subgroup.metrics[metric];
    return std::ranges::any_of(part.pairs, [&](const compare::PairComparison& pair) {
      return compare::standing_of(part, pair) != compare::Standing::undecided;
    });
  });
}

/// One table per column and metric: a row per value, a mean per model.
std::string subgroup_table(const compare::Comparison& comparison,
                           std::span<const compare::Subgroup> subgroups, std::size_t metric) {
  const std::string title =
      subgroups.front().column + " / " + words(comparison.metrics[metric].metric);
  std::vector<Column> columns = {{printable(title), Align::left}, {"cases"}};
  for (const compare::ComparedModel& model : comparison.models)
    columns.push_back({printable(model.name)});
  std::vector<std::vector<std::string>> rows;
  for (const compare::Subgroup& subgroup : subgroups) {
    const compare::MetricComparison& part = subgroup.metrics[metric];
    auto& row = rows.emplace_back();
    row = {printable(subgroup.value.empty() ? "(none)" : subgroup.value),
           std::to_string(subgroup.cases)};
    std::size_t pair = 0;
    for (std::size_t m = 0; m < comparison.models.size(); ++m) {
      const bool tested = m != comparison.baseline;
      row.push_back(subgroup_cell(
          part, m,
          tested ? compare::standing_of(part, part.pairs[pair]) : compare::Standing::undecided));
      pair += tested ? 1 : 0;
    }
  }
  const std::string words = interaction_words(comparison, subgroups, metric);
  return "\n" + text_table(columns, rows) + (words.empty() ? "" : printable(words) + "\n");
}

std::string subgroups(const compare::Comparison& comparison, bool color) {
  std::string out;
  const std::span<const compare::Subgroup> all = comparison.subgroups;
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = from + 1;
    while (to < all.size() && all[to].column == all[from].column) ++to;
    for (std::size_t k = 0; k < comparison.metrics.size(); ++k)
      out += subgroup_table(comparison, all.subspan(from, to - from), k);
    from = to;
  }
  if (out.empty()) return out;
  return "\n" +
         bold(fmt::format("means by subgroup; {} than the baseline, corrected over all subgroups "
                          "and models of a table",
                          compare::sign_words),
              color) +
         "\n" + out;
}

}  // namespace

std::string interaction_words(const compare::Comparison& comparison,
                              std::span<const compare::Subgroup> subgroups, std::size_t metric) {
  constexpr std::string_view warning =
      " a sign in only some groups does not mean that the groups differ.";
  const std::string& column = subgroups.front().column;
  std::vector<std::string> found;
  bool any = false;
  for (const compare::Interaction& one : comparison.interactions) {
    if (one.column != column || one.metric != metric) continue;
    found.push_back(one.model_name + " " + compare::plain_pvalue(one.corrected_p_value));
    any = any || one.corrected_p_value <= comparison.settings.alpha;
  }
  const bool signs = has_sign(subgroups, metric);
  if (found.empty())
    return signs ? fmt::format(
                       "Whether the difference depends on {} was not tested, because some "
                       "clusters have cases of several groups, so{}",
                       column, warning)
                 : "";
  return fmt::format("Does the difference depend on {}? Kruskal–Wallis test{}: {}.{}", column,
                     found.size() > 1 ? ", corrected" : "", joined(found),
                     any || !signs ? "" : fmt::format(" No evidence that it does, so{}", warning));
}

std::string comparison_report(const compare::Comparison& comparison, bool with_paper, bool color) {
  return headline(comparison, color) + terminal_table(comparison_table(comparison, with_paper)) +
         sentences(comparison) + failures(comparison) + algorithms(comparison, color) +
         rankings(comparison, color) + subgroups(comparison, color);
}

}  // namespace assay::report
