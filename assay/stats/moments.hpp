// SPDX-License-Identifier: Apache-2.0
/// Sums, means, spreads and percentiles that equal NumPy's to the last bit.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats {

/// np.sum: pairwise, so that the rounding error grows with log n.
double pairwise_sum(std::span<const double> values);

/// np.mean; NaN for no values.
double mean(std::span<const double> values);

/// np.var; NaN when there are no more than `ddof` values (NumPy would also give inf).
double variance(std::span<const double> values, std::size_t ddof);

/// np.std: the square root of `variance`.
double standard_deviation(std::span<const double> values, std::size_t ddof);

/// The adjusted Fisher-Pearson skewness, scipy.stats.skew(bias=False); 0 for fewer than three
/// values and for values without spread.
double skewness(std::span<const double> values);

/// np.percentile with linear interpolation, q in 0..100. NaN when a value is NaN or none is given.
double percentile(std::span<const double> values, double q);

/// The same for values already in ascending order (NaN last), without a copy.
double percentile_of_sorted(std::span<const double> ascending, double q);

/// np.median: the mean of the two middle values for an even number of them.
double median(std::span<const double> values);

}  // namespace assay::stats
