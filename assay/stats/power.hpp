// SPDX-License-Identifier: Apache-2.0
/// How many pairs a study needs: to detect a difference, or to show equivalence within a margin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/executor.hpp"
#include "assay/statistics.hpp"

namespace assay::stats {

/// The requirements of a planned test. `alpha` is that of one test.
struct PowerTarget {
  double power = 0.8, alpha = 0.05;
};

/// The least whole number of pairs, at least `least_pairs`, with which the paired t test reaches
/// the power for a true `difference` and that SD of the differences. None when no number below
/// 1e9 does, as for a difference of 0.
std::optional<std::size_t> pairs_for_difference(double difference, double sd,
                                                const PowerTarget& target);

/// Power of two one-sided t tests. The distances are from the true difference to the lower and to
/// the upper margin, in standard errors of the estimate.
double tost_power(double to_lower, double to_upper, double df, double alpha = 0.05);

/// The pairs that `tost_paired` needs to show equivalence within +-margin; none also when the
/// difference is not within it.
struct Equivalence {
  double margin = 0, difference = 0, sd = 0;
};
std::optional<std::size_t> pairs_for_equivalence(const Equivalence& of, const PowerTarget& target);

/// An SD (ddof 1) of n normal values with its two-sided interval.
Interval sd_interval(double sd, double n, double level = 0.95);

/// The upper limit of an SD's one-sided 80 % interval: what Browne (1995) plans with, since the SD
/// of a pilot is too small as often as it is too large.
double cautious_sd(double sd, double n);

/// Differences of the pilot's shape and SD, but symmetrical about `centre`, so that mean and
/// pseudo-median are equal. They are smoothed (Silverman 1986), because among few distinct values a
/// small shift would put each above its mirror image, and the test would detect it far too easily.
std::vector<double> shifted_shape(std::span<const double> pilot, double centre);

/// Studies drawn from the differences of a pilot.
struct SimulatedStudies {
  std::span<const double> differences;  ///< to draw from
  double alpha = 0.05;
  std::size_t studies = 1000;
  std::uint32_t seed = 42;
  Executor executor{};  ///< the numbers do not depend on it
};

/// The share of studies of n pairs in which the signed-rank test rejects in the direction of the
/// mean. Study k begins with the same pairs, whatever n is.
double signed_rank_power(const SimulatedStudies& of, std::size_t n);

/// The least number of pairs that reaches the power, to 1 % (which is less than the error of the
/// simulation), searched from `start` up to 10 times as many (and at most `most_simulated`). None
/// when that does not suffice, or when the power does not grow with twice as many pairs, because
/// the test then points the other way.
inline constexpr std::size_t most_simulated = 5000;
std::optional<std::size_t> signed_rank_pairs(const SimulatedStudies& of, double power,
                                             std::size_t start);

}  // namespace assay::stats
