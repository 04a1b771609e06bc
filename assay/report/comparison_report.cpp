// SPDX-License-Identifier: Apache-2.0
#include "assay/report/comparison_report.hpp"

#include <fmt/format.h>

#include "assay/compare/sentence.hpp"
#include "assay/compare/standing.hpp"
#include "assay/core/words.hpp"
#include "assay/report/text_table.hpp"

namespace assay {
namespace {

std::string bold(std::string_view text, bool color) {
  return color ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string headline(const Comparison& comparison, bool color) {
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

std::string sentences(const Comparison& comparison) {
  std::string out;
  for (const MetricComparison& metric : comparison.metrics)
    for (const PairComparison& pair : metric.pairs)
      out += printable(sentence(metric, pair, comparison.models[comparison.baseline].name)) + "\n";
  return "\n" + out;
}

/// The failures of each model, once for all metrics that have the same ones.
std::string failures(const Comparison& comparison) {
  const std::string& baseline = comparison.models[comparison.baseline].name;
  std::vector<std::pair<std::string, std::string>> found;  // sentence and metrics
  for (const MetricComparison& metric : comparison.metrics)
    for (const PairComparison& pair : metric.pairs) {
      const std::string text = failure_sentence(pair, baseline, comparison.matching.ids.size());
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

std::string places(const RankStability& rank) {
  return rank.rank_low == rank.rank_high ? std::to_string(rank.rank_low)
                                         : fmt::format("{} – {}", rank.rank_low, rank.rank_high);
}

std::string ranking_of(const Comparison& comparison, const MetricComparison& metric) {
  const Ranking& ranking = metric.ranking;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> order(ranking.models.size());
  for (std::size_t m = 0; m < order.size(); ++m) order[m] = m;
  std::ranges::stable_sort(order, {}, [&](std::size_t m) { return ranking.models[m].rank; });
  for (const std::size_t m : order) {
    const ModelRank& rank = ranking.models[m];
    rows.push_back({printable(comparison.models[m].name), fmt::format("{:g}", rank.rank),
                    places(*rank.stability),
                    fmt::format("{:.1f} %", 100 * rank.stability->probability_best),
                    fmt::format("{:.2f}", rank.mean_rank)});
  }
  std::string out = text_table({{printable(words(metric.metric)), Align::left},
                                {"rank"},
                                {"95 % of resamples"},
                                {"first"},
                                {"mean rank over cases"}},
                               rows);
  if (ranking.friedman && ranking.critical_difference)
    out += fmt::format("Friedman {}; mean ranks differ when {:.2f} or more apart (Nemenyi)\n",
                       plain_pvalue(ranking.friedman->f_pvalue), *ranking.critical_difference);
  return out;
}

std::string rankings(const Comparison& comparison, bool color) {
  std::string out;
  for (const MetricComparison& metric : comparison.metrics)
    if (metric.ranking.n != 0 && metric.ranking.models.front().stability)
      out += "\n" + ranking_of(comparison, metric);
  if (out.empty()) return out;
  return "\n" +
         bold(fmt::format("ranks, with {} resamples of the cases (seed {})",
                          comparison.settings.replicates, comparison.settings.seed),
              color) +
         "\n" + out;
}

std::string subgroup_cell(const MetricComparison& metric, std::size_t model, Standing standing) {
  const Summary& s = metric.models[model];
  if (!s.mean) return "–";
  return fmt::format("{}{}", plain_number(*s.mean),
                     standing == Standing::undecided ? " " : sign(standing));
}

/// One table per column and metric: a row per value, a mean per model.
std::string subgroup_table(const Comparison& comparison, std::span<const Subgroup> subgroups,
                           std::size_t metric) {
  const std::string title =
      subgroups.front().column + " / " + words(comparison.metrics[metric].metric);
  std::vector<Column> columns = {{printable(title), Align::left}, {"cases"}};
  for (const ComparedModel& model : comparison.models) columns.push_back({printable(model.name)});
  std::vector<std::vector<std::string>> rows;
  for (const Subgroup& subgroup : subgroups) {
    const MetricComparison& part = subgroup.metrics[metric];
    auto& row = rows.emplace_back();
    row = {printable(subgroup.value.empty() ? "(none)" : subgroup.value),
           std::to_string(subgroup.cases)};
    std::size_t pair = 0;
    for (std::size_t m = 0; m < comparison.models.size(); ++m) {
      const bool tested = m != comparison.baseline;
      row.push_back(subgroup_cell(
          part, m, tested ? standing_of(part, part.pairs[pair]) : Standing::undecided));
      pair += tested ? 1 : 0;
    }
  }
  return "\n" + text_table(columns, rows);
}

std::string subgroups(const Comparison& comparison, bool color) {
  std::string out;
  const std::span<const Subgroup> all = comparison.subgroups;
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
                          sign_words),
              color) +
         "\n" + out;
}

}  // namespace

std::string comparison_report(const Comparison& comparison, bool with_paper, bool color) {
  return headline(comparison, color) + terminal_table(comparison_table(comparison, with_paper)) +
         sentences(comparison) + failures(comparison) + rankings(comparison, color) +
         subgroups(comparison, color);
}

}  // namespace assay
