// SPDX-License-Identifier: Apache-2.0
/// What majority votes of fewer runs would have scored: maj@1, maj@2 ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/base/executor.hpp"
#include "assay/qa/values/result.hpp"
#include "assay/stats/classification.hpp"

namespace assay::qa {

/// The vote of k runs, over subsets of the runs.
struct MajorityScore {
  double mean = 0;
  std::optional<double> std{};  ///< over the subsets, ddof 1; absent for a single one
  std::size_t subsets = 0;
  bool all = true;  ///< every subset; otherwise that many drawn at random
};

struct MajorityScores {
  std::vector<MajorityScore> at{};  ///< by number of runs from 1; empty for a single run
  std::vector<double> by_run{};     ///< the score of each run alone; at[0] is their mean
  std::size_t runs = 0;             ///< that every asked item has
  std::size_t left_out = 0;         ///< further runs that only some items have
};

struct MajorityOptions {
  std::size_t most_subsets = 1000;  ///< for each number of runs
  std::uint64_t seed = 42;
  Executor executor = {};
};

/// Runs that not every asked item has are left out. Within a subset runs vote in their order, and
/// of several labels with most votes the one seen first wins, as in `majority_vote`. Items without
/// a label are wrong.
MajorityScores majority_scores(std::span<const ItemResult> results,
                               stats::ClassificationMetric metric,
                               const MajorityOptions& options = {});

}  // namespace assay::qa
