// SPDX-License-Identifier: Apache-2.0
/// Does a mean have a stated value? Student's t, the bootstrap-t for skewed values, and Welch's t
/// where the other mean was measured, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/executor.hpp"
#include "assay/statistics.hpp"

namespace assay::stats {

enum class MeanMethod { student, bootstrap_t, welch };

/// student-t, bootstrap-t, welch-t.
std::string_view name(MeanMethod method);

/// A mean, its standard error, and how (mean - truth) / error varies. Tests and intervals come from
/// that one distribution, so an interval of level 1 - alpha excludes exactly the values whose
/// two-sided p-value is at most alpha.
struct MeanTest {
  MeanMethod method = MeanMethod::student;
  double mean = 0, error = 0;
  double df = 0;                           ///< of Student's t
  std::vector<double> ratios_ascending{};  /// of the resamples; empty: Student's t

  /// Two-sided: the mean is `value`.
  double p_value(double value = 0) const;
  /// One-sided, against "the mean is at most `limit`" and "the mean is at least `limit`".
  double p_above(double limit) const;
  double p_below(double limit) const;
  /// A limit is infinite when the resamples are too few, or too many of them without spread.
  Interval interval(double level) const;
};

/// Throws Error unless there are two values or more that are not all equal.
MeanTest student_test(std::span<const double> values);

struct BootstrapTOptions {
  std::size_t replicates = 9999;
  std::uint64_t seed = 42;
  Executor executor = {};
};

/// The ratio is resampled with NumPy's stream.
MeanTest bootstrap_t_test(std::span<const double> values, const BootstrapTOptions& options = {});

/// Values are differences from a mean of `other_count` values (two or more) whose standard
/// deviation (ddof 1) is `other_std`.
MeanTest welch_test(std::span<const double> differences, double other_std, std::size_t other_count);

}  // namespace assay::stats
