// SPDX-License-Identifier: Apache-2.0
/// The order of the models in one metric, and how far to trust it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/core/executor.hpp"
#include "assay/stats/friedman.hpp"

namespace assay {

/// What resamples of the cases say of one model's place.
struct RankStability {
  double probability_best = 0;              ///< share of resamples in which it is first
  std::size_t rank_low = 0, rank_high = 0;  ///< places that hold the middle 95 % of resamples
  std::vector<double> places;               ///< P(place 1), P(place 2), ...
};

struct ModelRank {
  double rank = 0;                           ///< of the mean score; 1 is the best, ties share
  double mean_rank = 0;                      ///< over cases
  std::optional<RankStability> stability{};  ///< none below `least_pairs` cases or clusters
};

struct Ranking {
  std::size_t n = 0;              ///< cases in which every model has a value; 0: no ranking
  std::vector<ModelRank> models;  ///< in the order of the models
  std::optional<FriedmanResult> friedman;  ///< of three or more models
  std::optional<double> critical_difference;
};

struct RankingOptions {
  std::size_t replicates = 1000;
  std::uint32_t seed = 42;
  double alpha = 0.05;
  Executor executor{};
  std::span<const std::size_t> clusters{};  ///< of each case; empty: cases are independent
};

/// `scores` has a row per model and a column per case; higher is better.
Ranking ranking(std::span<const std::vector<double>> scores, const RankingOptions& options);

}  // namespace assay
