// SPDX-License-Identifier: Apache-2.0
/// The order of the models in one metric by three rules, and how far to trust it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/executor.hpp"
#include "assay/stats/friedman.hpp"

namespace assay::compare {

/// Resamples say nothing about ranks below this number of cases or clusters, or for fewer than
/// three models: with six cases, equal models seemed firmly ordered in one of seven cohorts, and
/// two models have their test.
inline constexpr std::size_t least_resampled_blocks = 10, least_resampled_models = 3;

/// What resamples of the blocks say about one model's rank.
struct RankStability {
  double probability_best = 0;              ///< share of resamples in which it is first
  std::size_t rank_low = 0, rank_high = 0;  ///< places that hold the middle 95 % of resamples
  std::vector<double> places;               ///< P(place 1), P(place 2), ...
};

/// The place by tests of all pairs of models, as challengeR ranks (Wiesenfarth et al. 2021).
struct TestRank {
  std::size_t wins = 0;  ///< models than which it is significantly better
  double rank = 0;       ///< of the wins
};

/// In every rank 1 is the best, and equal models share the mean of their places.
struct ModelRank {
  double rank = 0;                           ///< of the mean over cases: aggregate, then rank
  double mean_rank = 0;                      ///< over blocks
  double rank_of_mean_rank = 0;              ///< rank, then aggregate
  std::optional<TestRank> by_tests{};        ///< none below `least_pairs` blocks
  std::optional<RankStability> stability{};  ///< none where `stability_gap` says why
};

/// Kendall's tau-b between the order of the means and the orders of the resamples; one in which
/// all models tie counts 0.
struct OrderAgreement {
  double mean = 0, low = 0, high = 0;  ///< the limits hold the middle 95 % of resamples
};

struct Ranking {
  std::size_t n = 0;              ///< cases in which every model has a value; 0: no ranking
  std::size_t blocks = 0;         ///< what is independent: these cases, or their clusters
  bool has_clusters = false;      ///< whether the blocks are clusters, each the mean of its cases
  std::vector<ModelRank> models;  ///< in the order of the models
  std::optional<OrderAgreement> kendall_tau;      ///< where there is stability, and an order
  std::optional<stats::FriedmanResult> friedman;  ///< of three models and six blocks or more
  std::optional<double> critical_difference;
};

struct RankingOptions {
  std::size_t replicates = 1000;
  std::uint32_t seed = 42;
  double alpha = 0.05;
  double tie_tolerance = 0;
  Executor executor{};
  std::span<const std::size_t> clusters{};  ///< of each case; empty: cases are independent
};

/// `scores` has a row per model and a column per case; higher is better.
Ranking ranking(std::span<const std::vector<double>> scores, const RankingOptions& options);

/// A sentence that says why the stability of ranks is not assessed; "" if it is.
std::string stability_gap(const Ranking& ranking);

/// "case" or "cluster", what the blocks are.
std::string_view block_word(const Ranking& ranking);

/// The same in a clause: "blocks are the 12 clusters, each the mean of its cases".
std::string block_note(const Ranking& ranking);

}  // namespace assay::compare
