// SPDX-License-Identifier: Apache-2.0
/// Paired t tests: of a difference, of equivalence, of non-inferiority; their power; and the
/// verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "assay/stats/effects.hpp"

namespace assay::stats {

struct TTest {
  double t = 0, pvalue = 0, df = 0;
};

/// Two-sided, of x - y. Fewer than two pairs give NaN.
TTest paired_t(std::span<const double> x, std::span<const double> y);

/// A mean, its standard error and the degrees of freedom of Student's t, one less than the units
/// that it is of.
struct MeanError {
  double value = 0, error = 0, df = 0;
  double skewness = 0;  ///< of the units

  Interval interval(double level) const;
  /// One-sided, against "the mean is at most `limit`" and "the mean is at least `limit`".
  TTest above(double limit) const;
  /// The same with Hall's transformation (1992), which corrects t for skewness; the skewness is
  /// taken one standard error to the unfavourable side.
  double skew_corrected_above(double limit) const;
  TTest below(double limit) const;
};

MeanError mean_error(std::span<const double> differences);

/// The mean of the differences and its t interval.
Interval mean_interval(std::span<const double> differences, double level = 0.95);

struct Tost {
  double pvalue = 0;  ///< the larger of the two
  TTest lower;        ///< against "the mean difference is at most -margin"
  TTest upper;        ///< against "the mean difference is at least +margin"
};

/// Two one-sided tests (Schuirmann 1987) that the mean of x - y lies within +-margin.
Tost tost_paired(std::span<const double> x, std::span<const double> y, double margin);

/// One-sided test that x is not worse than y by `margin` or more; higher is better.
TTest noninferiority(std::span<const double> x, std::span<const double> y, double margin);

/// Paired differences have neither an interval nor a verdict below this number of pairs: five pairs
/// reach neither p <= 0.05 by the signed-rank test nor an interval of 95 %.
inline constexpr std::size_t least_pairs = 6;

enum class Verdict { different, equivalent, non_inferior, inconclusive, too_few_pairs };

std::string_view name(Verdict verdict);

/// What an interval of the difference (higher is better) says. With a margin: equivalent when it
/// lies within +-margin, even if it excludes zero (a difference too small to matter); different
/// when it excludes zero; non-inferior when it lies above -margin. A large p-value alone is
/// inconclusive.
Verdict verdict(const Interval& difference, std::optional<double> margin = {});

/// The corrected resampled t test (Nadeau and Bengio 2003): `differences` has one mean difference
/// per fold and restart. Their training sets overlap, so the variance of their mean is not
/// s^2 / n but (1 / n + test_share) s^2, where `test_share` is the number of test cases over that
/// of training cases of a fold. Fewer than two differences give NaN.
struct ResampledT {
  TTest test;
  Interval difference;  ///< the mean with its limits at the level that was asked for
};
ResampledT resampled_t(std::span<const double> differences, double test_share, double level = 0.95);

/// Two-sided power of the paired t test for a standardised difference `effect` with n pairs.
double t_power(double effect, double n, double alpha = 0.05);

/// The number of pairs, not rounded, at which `t_power` reaches `power`.
double pairs_for_power(double effect, double power = 0.8, double alpha = 0.05);

}  // namespace assay::stats
