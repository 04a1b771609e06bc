// SPDX-License-Identifier: Apache-2.0
/// Intervals and paired tests of accuracy and balanced accuracy, for items that may share clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/base/executor.hpp"
#include "assay/stats/classification.hpp"
#include "assay/stats/effects.hpp"
#include "assay/stats/sign_flip.hpp"

namespace assay::stats {

/// The cluster of each item; empty when items are independent.
using Clusters = std::span<const std::size_t>;

struct ScoreInterval {
  Interval interval{};         ///< Wilson's, of `effective_items` items
  double effective_items = 0;  ///< independent items that would tell as much
  double design_effect = 1;    ///< by what clusters multiply the variance; at least 1
  std::size_t clusters = 0;    ///< 0: items are independent
};

/// The interval of accuracy (items coded as one class) or of balanced accuracy. Without clusters,
/// accuracy has Wilson's interval. With clusters, two or more, otherwise an Error.
ScoreInterval score_interval(const CodedItems& items, Clusters clusters, double level = 0.95);

struct ScoreDifferenceOptions {
  double level = 0.95;
  std::uint64_t seed = 42;  ///< of random flips, where there are too many for an exact test
  Executor executor = {};
};

struct ScoreDifference {
  /// The interval of second - first. It agrees with the test: where 0 would be inside although the
  /// p-value is at most 1 - level, or outside although it is not, the interval ends at 0.
  Interval interval{};
  double standard_error = 0;
  SignFlipTest test{};  ///< flips items, or clusters where there are any
};

/// Two models on the same items, both coded with the same classes; otherwise an Error.
ScoreDifference score_difference(const CodedItems& first, const CodedItems& second,
                                 Clusters clusters, const ScoreDifferenceOptions& options = {});

}  // namespace assay::stats
