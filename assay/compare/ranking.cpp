// SPDX-License-Identifier: Apache-2.0
//
// Three rules can order models, and they need not agree (Maier-Hein et al. 2018): the mean over
// cases, then its rank; the rank within each case, then its mean; and the number of other models
// that a model is significantly better than. The last two and Friedman's test need independent
// rows. Cases of one cluster are not independent, so each cluster becomes one row of means.
#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/base/text.hpp"
#include "assay/bootstrap.hpp"
#include "assay/compare.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/agreement.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/moments.hpp"

namespace assay::compare {
namespace {

using Rows = std::vector<std::vector<double>>;

/// Mid-ranks with 1 for the highest.
std::vector<double> descending_ranks(std::vector<double> values) {
  for (double& value : values) value = -value;
  return stats::mid_ranks(values).ranks;
}

/// The places that remain when 2.5 % are cut from either end.
std::pair<std::size_t, std::size_t> middle_places(std::span<const double> places) {
  constexpr double tail = 0.025, rounding = 1e-9;
  double below = 0, above = 0;
  std::size_t low = 0, high = places.size() - 1;
  while (low < high && below + places[low] <= tail + rounding) below += places[low++];
  while (high > low && above + places[high] <= tail + rounding) above += places[high--];
  return {low + 1, high + 1};
}

/// By model: the scores, or their means within each cluster.
Rows blocks_of(std::span<const std::vector<double>> scores, std::span<const std::size_t> clusters) {
  Rows rows(scores.begin(), scores.end());
  if (!clusters.empty())
    for (auto& row : rows) row = stats::cluster_means(row, clusters);
  return rows;
}

/// A row per block, a column per model.
Rows turned(const Rows& by_model) {
  Rows rows(by_model.front().size(), std::vector<double>(by_model.size()));
  for (std::size_t m = 0; m < by_model.size(); ++m)
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i][m] = by_model[m][i];
  return rows;
}

std::vector<double> mean_ranks(const Rows& by_block) {
  std::vector<double> means(by_block.front().size());
  for (const auto& row : by_block) {
    const std::vector<double> ranks = descending_ranks(row);
    for (std::size_t m = 0; m < ranks.size(); ++m) means[m] += ranks[m];
  }
  for (double& each : means) each /= static_cast<double>(by_block.size());
  return means;
}

/// A p-value that decides as the exact one does. Holm's limits lie between alpha / tests and alpha.
/// From 50 differences on, the normal curve is far closer than a factor of 1.5 to exact p-values
/// there. So a p-value that it puts well beyond these limits does not need the exact distribution,
/// which is slow.
double deciding_pvalue(std::span<const double> d, std::size_t nonzero, stats::WilcoxonOptions test,
                       std::size_t tests) {
  constexpr std::size_t many = 50;
  if (nonzero >= many) {
    stats::WilcoxonOptions approximate = test;
    approximate.method = stats::WilcoxonMethod::asymptotic;
    const double p = stats::wilcoxon(d, approximate).pvalue;
    if (p > 1.5 * test.alpha || p * static_cast<double>(tests) < test.alpha / 10) return p;
  }
  return stats::wilcoxon(d, test).pvalue;
}

/// The p-value, for each ordered pair of models, that the first is better. A p-value above 1/2 is
/// 1, since it could not be significant.
std::vector<double> one_sided_pvalues(const Rows& by_model, const RankingOptions& options) {
  const std::size_t models = by_model.size();
  std::vector<double> pvalues(models * models, 1.0);
  run_tasks(options.executor, models * models, [&](std::size_t task) {
    const std::size_t a = task / models, b = task % models;
    if (a >= b) return;
    const auto d = stats::differences(by_model[a], by_model[b]);
    const stats::SignedRanks ranks =
        stats::signed_ranks(d, stats::ZeroMethod::wilcox, options.tie_tolerance);
    if (ranks.plus == ranks.minus) return;
    const bool first = ranks.plus > ranks.minus;
    stats::WilcoxonOptions test = {.alternative = first ? stats::Alternative::greater
                                                        : stats::Alternative::less};
    test.tie_tolerance = options.tie_tolerance;
    test.alpha = options.alpha;
    pvalues[first ? a * models + b : b * models + a] =
        deciding_pvalue(d, ranks.doubled.size(), test, models * (models - 1));
  });
  return pvalues;
}

/// Wins after Holm's correction over all ordered pairs.
void add_test_ranks(Ranking& result, const Rows& by_model, const RankingOptions& options) {
  const std::size_t models = by_model.size();
  const std::vector<double> all = one_sided_pvalues(by_model, options);
  std::vector<double> family;
  std::vector<std::size_t> winners;
  for (std::size_t pair = 0; pair < all.size(); ++pair)
    if (pair / models != pair % models) {
      family.push_back(all[pair]);
      winners.push_back(pair / models);
    }
  const std::vector<bool> reject = stats::holm(family, options.alpha).reject;
  std::vector<double> wins(models);
  for (std::size_t k = 0; k < family.size(); ++k)
    if (reject[k]) wins[winners[k]] += 1;
  const std::vector<double> ranks = descending_ranks(wins);
  for (std::size_t m = 0; m < models; ++m)
    result.models[m].by_tests = {static_cast<std::size_t>(wins[m]), ranks[m]};
}

std::optional<OrderAgreement> agreement(const stats::JointBootstrap& joint) {
  std::vector<double> means, resampled(joint.models.size()), taus;
  for (const stats::BootstrapResult& model : joint.models) means.push_back(model.point);
  if (std::ranges::all_of(means, [&](double x) { return x == means.front(); })) return {};
  for (std::size_t b = 0; b < joint.models.front().n_replicates; ++b) {
    for (std::size_t m = 0; m < resampled.size(); ++m) resampled[m] = joint.models[m].replicates[b];
    const double tau = stats::kendall_tau_b(means, resampled);
    taus.push_back(std::isnan(tau) ? 0 : tau);
  }
  std::ranges::sort(taus);
  return OrderAgreement{stats::mean(taus), stats::percentile_of_sorted(taus, 2.5),
                        stats::percentile_of_sorted(taus, 97.5)};
}

void add_stability(Ranking& result, std::span<const std::vector<double>> scores,
                   const RankingOptions& options) {
  stats::BootstrapOptions resampling = {.replicates = options.replicates, .seed = {options.seed}};
  resampling.executor = options.executor;
  resampling.clusters.assign(options.clusters.begin(), options.clusters.end());
  const stats::JointBootstrap joint = stats::joint_bootstrap_means(scores, resampling);
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const auto [low, high] = middle_places(joint.ranks[m]);
    result.models[m].stability = {.probability_best = joint.probability_best[m],
                                  .rank_low = low,
                                  .rank_high = high,
                                  .places = joint.ranks[m]};
  }
  result.kendall_tau = agreement(joint);
}

}  // namespace

Ranking ranking(std::span<const std::vector<double>> scores, const RankingOptions& options) {
  Ranking result;
  if (scores.empty() || scores.front().empty()) return result;
  const Rows by_model = blocks_of(scores, options.clusters), by_block = turned(by_model);
  result.n = scores.front().size();
  result.blocks = by_block.size();
  result.has_clusters = !options.clusters.empty();
  std::vector<double> means;
  for (const auto& row : scores) means.push_back(stats::mean(row));
  const std::vector<double> ranks = descending_ranks(means), middle = mean_ranks(by_block),
                            of_middle = stats::mid_ranks(middle).ranks;
  for (std::size_t m = 0; m < scores.size(); ++m)
    result.models.push_back(
        {.rank = ranks[m], .mean_rank = middle[m], .rank_of_mean_rank = of_middle[m]});
  if (result.blocks >= stats::least_pairs) add_test_ranks(result, by_model, options);
  if (stability_gap(result).empty()) add_stability(result, scores, options);
  if (scores.size() >= 3 && result.blocks >= stats::least_pairs) {
    result.friedman = stats::friedman(by_block);
    result.critical_difference = stats::nemenyi(by_block, options.alpha).critical_difference;
  }
  return result;
}

std::string_view block_word(const Ranking& ranking) {
  return ranking.has_clusters ? "cluster" : "case";
}

std::string block_note(const Ranking& ranking) {
  return "blocks are the " + counted(ranking.blocks, block_word(ranking)) +
         (ranking.has_clusters ? ", each the mean of its cases" : "");
}

std::string stability_gap(const Ranking& ranking) {
  if (ranking.models.size() < least_resampled_models)
    return "Ranks are not resampled: with two models a rank says no more than the test of their "
           "difference.";
  if (ranking.blocks < least_resampled_blocks)
    return "Ranks are not resampled: fewer than ten " + std::string(block_word(ranking)) +
           "s cannot say how stable a rank is.";
  return "";
}

}  // namespace assay::compare
