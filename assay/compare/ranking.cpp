// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/ranking.hpp"

#include <algorithm>

#include "assay/stats/bootstrap.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/paired.hpp"
#include "assay/stats/ranks.hpp"

namespace assay {
namespace {

/// Mid-ranks with 1 for the highest.
std::vector<double> descending_ranks(std::vector<double> values) {
  for (double& value : values) value = -value;
  return mid_ranks(values).ranks;
}

/// The places that are left when 2.5 % are cut from either end.
std::pair<std::size_t, std::size_t> middle_places(std::span<const double> places) {
  constexpr double tail = 0.025, rounding = 1e-9;
  double below = 0, above = 0;
  std::size_t low = 0, high = places.size() - 1;
  while (low < high && below + places[low] <= tail + rounding) below += places[low++];
  while (high > low && above + places[high] <= tail + rounding) above += places[high--];
  return {low + 1, high + 1};
}

std::vector<std::vector<double>> by_case(std::span<const std::vector<double>> scores) {
  std::vector<std::vector<double>> rows(scores.front().size(), std::vector<double>(scores.size()));
  for (std::size_t m = 0; m < scores.size(); ++m)
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i][m] = scores[m][i];
  return rows;
}

std::size_t independent_units(std::size_t cases, std::span<const std::size_t> clusters) {
  return clusters.empty() ? cases : cluster_members(clusters).size();
}

void add_stability(Ranking& result, std::span<const std::vector<double>> scores,
                   const RankingOptions& options) {
  BootstrapOptions resampling = {.replicates = options.replicates, .seed = {options.seed}};
  resampling.executor = options.executor;
  resampling.clusters.assign(options.clusters.begin(), options.clusters.end());
  const JointBootstrap joint = joint_bootstrap_means(scores, resampling);
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const auto [low, high] = middle_places(joint.ranks[m]);
    result.models[m].stability = {.probability_best = joint.probability_best[m],
                                  .rank_low = low,
                                  .rank_high = high,
                                  .places = joint.ranks[m]};
  }
}

}  // namespace

Ranking ranking(std::span<const std::vector<double>> scores, const RankingOptions& options) {
  Ranking result;
  if (scores.empty() || scores.front().empty()) return result;
  result.n = scores.front().size();
  const auto cases = by_case(scores);
  std::vector<double> means, mean_ranks(scores.size());
  for (const auto& row : scores) means.push_back(mean(row));
  for (const auto& row : cases) {
    const std::vector<double> ranks = descending_ranks(row);
    for (std::size_t m = 0; m < ranks.size(); ++m) mean_ranks[m] += ranks[m];
  }
  const std::vector<double> ranks = descending_ranks(means);
  for (std::size_t m = 0; m < scores.size(); ++m)
    result.models.push_back(
        {.rank = ranks[m], .mean_rank = mean_ranks[m] / static_cast<double>(result.n)});
  if (independent_units(result.n, options.clusters) >= least_pairs)
    add_stability(result, scores, options);
  if (scores.size() >= 3 && result.n >= 2) {
    result.friedman = friedman(cases);
    result.critical_difference = nemenyi(cases, options.alpha).critical_difference;
  }
  return result;
}

}  // namespace assay
