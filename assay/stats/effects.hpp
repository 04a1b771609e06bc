// SPDX-License-Identifier: Apache-2.0
/// How large a paired difference is, not only whether there is one.
#pragma once

#include <cmath>
#include <span>

namespace assay::stats {

/// A number with its confidence limits.
struct Interval {
  double estimate = 0, lower = 0, upper = 0;
  /// Limits that are NaN say that there are too few values for an interval.
  bool has_limits() const { return !std::isnan(lower) && !std::isnan(upper); }
};

/// (R+ - R-) / (R+ + R-) of the non-zero differences: 1 when all are positive, 0 when there are
/// none. Differences must not be NaN.
double rank_biserial(std::span<const double> differences);

/// P(d > 0) + P(d = 0) / 2; NaN for no differences.
double probability_of_superiority(std::span<const double> differences);

/// mean / standard deviation (ddof 1) of the differences; NaN when that is 0 / 0.
double cohens_dz(std::span<const double> differences);

/// The median of all pairwise means (d_i + d_j) / 2, i <= j, and the interval that inverts the
/// signed-rank test. No differences, or NaN, is an Error.
Interval hodges_lehmann(std::span<const double> differences, double level = 0.95);

/// The same with the limits that invert the test which rejects when |W+ - W-| / sqrt(sum of squared
/// ranks) reaches `critical`; NaN where that cannot happen.
Interval hodges_lehmann_within(std::span<const double> differences, double critical);

}  // namespace assay::stats
