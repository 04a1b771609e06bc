// SPDX-License-Identifier: Apache-2.0
/// Strata for cross-validation: numbers cut into bins, and how evenly folds share the strata.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/stats/folds.hpp"

namespace assay::stats {

struct QuantileBins {
  std::vector<double> edges;       ///< between the bins, as np.percentile gives them
  std::vector<std::size_t> codes;  ///< by value: its bin, from 0
};

/// Bins of nearly equal counts. A value on an edge belongs to the lower bin, as in pandas.qcut;
/// equal values stay together, so bins can come out uneven or empty. Refuses fewer than two bins,
/// more bins than values, and values that are not finite.
QuantileBins quantile_bins(std::span<const double> values, std::size_t bins);

/// How many items of each class each fold tests: by class, then by fold.
std::vector<std::vector<std::size_t>> members(std::span<const std::size_t> classes,
                                              const FoldNumbers& folds, std::size_t count);

}  // namespace assay::stats
