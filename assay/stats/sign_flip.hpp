// SPDX-License-Identifier: Apache-2.0
/// The sign-flip test: do differences of two models lean to one side?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/base/executor.hpp"

namespace assay::stats {

struct SignFlipOptions {
  /// Sums up to this distance below the observed one count as equal: for units that were rounded.
  std::int64_t slack = 0;
  std::size_t most_sums = std::size_t{1} << 18;  ///< exact while there are no more different sums
  std::size_t draws = 99'999;                    ///< beyond that, random flips
  std::uint64_t seed = 42;
  Executor executor = {};
};

struct SignFlipTest {
  std::int64_t statistic = 0;  ///< the sum of the units
  std::size_t units = 0;       ///< that are not 0: only these can tell the models apart
  double pvalue = 1;           ///< two-sided
  double mid_pvalue = 1;       ///< with half the probability of the observed sum
  double least_pvalue = 1;     ///< no data with so many units can have a smaller one: 2^(1 - units)
  bool exact = true;           ///< over all flips; otherwise over `draws` random ones
  std::size_t draws = 0;
};

/// Under the hypothesis that the two models could be exchanged within each unit, every unit has
/// either sign with probability 1/2: the p-value is the probability of a sum at least as far from
/// 0. Throws Error when the sum of magnitudes is 2^62 or more.
SignFlipTest sign_flip(std::span<const std::int64_t> units, const SignFlipOptions& options = {});

}  // namespace assay::stats
