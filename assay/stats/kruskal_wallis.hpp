// SPDX-License-Identifier: Apache-2.0
/// Do several groups of values come from one distribution?
#pragma once

#include <span>
#include <vector>

namespace assay::stats {

struct KruskalWallis {
  double h = 0;   ///< corrected for ties
  double df = 0;  ///< groups that have values, less one
  double pvalue = 1;
};

/// Kruskal and Wallis's rank test (1952) with the chi-squared distribution. Groups without values
/// are left out; fewer than two others, or values that are all equal, have p = 1. NaN is an Error.
KruskalWallis kruskal_wallis(std::span<const std::vector<double>> groups);

}  // namespace assay::stats
