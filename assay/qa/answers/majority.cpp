// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "assay/qa.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/random.hpp"

namespace assay::qa {
namespace {

/// Votes of every item, by run; an item that was never asked has none.
using Votes = std::vector<std::vector<OptionalLabel>>;

Votes votes_of(std::span<const ItemResult> results) {
  Votes out;
  for (const ItemResult& item : results) {
    out.emplace_back();
    for (const Attempt& attempt : item.votes) out.back().push_back(vote_of(attempt));
  }
  return out;
}

/// The fewest and the most runs of an item that was asked.
std::pair<std::size_t, std::size_t> range_of_runs(const Votes& votes) {
  std::size_t fewest = 0, most = 0;
  for (const auto& item : votes) {
    if (item.empty()) continue;
    fewest = most == 0 ? item.size() : std::min(fewest, item.size());
    most = std::max(most, item.size());
  }
  return {fewest, most};
}

/// The score of votes by these runs only.
double score_of(const Votes& votes, std::span<const std::uint32_t> runs,
                const std::vector<std::int64_t>& truths, stats::ClassificationMetric metric) {
  std::vector<std::int64_t> predictions;
  std::vector<OptionalLabel> chosen;
  for (const auto& item : votes) {
    chosen.clear();
    if (!item.empty())
      for (const std::uint32_t run : runs) chosen.push_back(item[run]);
    predictions.push_back(majority_label(chosen).value_or(no_label));
  }
  return stats::classification_score(metric, predictions, truths);
}

}  // namespace

MajorityScores majority_scores(std::span<const ItemResult> results,
                               stats::ClassificationMetric metric, const MajorityOptions& options) {
  const Votes votes = votes_of(results);
  std::vector<std::int64_t> truths;
  for (const ItemResult& item : results) truths.push_back(item.truth_label);
  const auto [fewest, most] = range_of_runs(votes);
  MajorityScores out = {.runs = fewest, .left_out = most - fewest};
  for (std::size_t k = 1; k <= fewest && fewest > 1; ++k) {
    const std::size_t most_subsets = std::max(options.most_subsets, fewest);  // every single run
    const stats::Subsets chosen = stats::subsets(fewest, k, most_subsets, options.seed);
    std::vector<double> scores(chosen.members.size());
    run_tasks(options.executor, scores.size(), [&](std::size_t i) {
      scores[i] = score_of(votes, chosen.members[i], truths, metric);
    });
    MajorityScore at = {
        .mean = stats::mean(scores), .subsets = chosen.members.size(), .all = chosen.all};
    if (scores.size() > 1) at.std = stats::standard_deviation(scores, 1);
    out.at.push_back(at);
    if (k == 1) out.by_run = std::move(scores);
  }
  return out;
}

}  // namespace assay::qa
