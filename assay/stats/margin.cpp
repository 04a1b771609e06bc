// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"

namespace assay::stats {
namespace {

/// One-sided signed-rank test that the pseudo-median of the values is above 0. A value of exactly 0
/// lies at the margin and speaks against it, so it counts as the least of the negative ones.
double rank_pvalue_above_zero(std::vector<double> values) {
  for (double& value : values)
    if (value == 0) value = -std::numeric_limits<double>::denorm_min();
  return wilcoxon(values, {.alternative = Alternative::greater}).pvalue;
}

std::vector<double> shifted(std::span<const double> values, double factor, double shift) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(factor * value + shift);
  return out;
}

/// One-sided, that the mean is above the limit: Student's t, or with its correction for skewness,
/// whichever is stricter. Failures skew differences, and t alone then claims too much.
double mean_pvalue_above(const MeanError& mean, double limit) {
  const double pvalue = std::max(mean.above(limit).pvalue, mean.skew_corrected_above(limit));
  return std::isnan(pvalue) ? 1 : pvalue;
}

/// Neither the mean nor the pseudo-median is below -margin (factor 1) or above it (factor -1).
double pvalue_on_one_side(std::span<const double> pairs, const MeanError& mean, double margin,
                          double factor) {
  const MeanError turned = {factor * mean.value, mean.error, mean.df, factor * mean.skewness};
  return std::max(mean_pvalue_above(turned, -margin),
                  rank_pvalue_above_zero(shifted(pairs, factor, margin)));
}

}  // namespace

MarginTest margin_test(std::span<const double> pairs, const MeanError& mean,
                       const MarginOptions& options) {
  if (!(options.margin > 0)) throw Error(Error::Kind::usage, "a margin must be greater than 0");
  MarginTest out;
  out.level = 1 - 2 * options.alpha;
  const double level = std::max(out.level, std::numeric_limits<double>::min());
  out.mean = mean.interval(level);
  out.pseudo_median = hodges_lehmann(pairs, level);
  const double not_lower = pvalue_on_one_side(pairs, mean, options.margin, 1);
  const double not_higher = pvalue_on_one_side(pairs, mean, options.margin, -1);
  out.equivalence_pvalue = std::max(not_lower, not_higher);
  out.non_inferiority_pvalue = options.lower_is_better ? not_higher : not_lower;
  out.corrected_equivalence_pvalue = out.equivalence_pvalue;
  out.corrected_non_inferiority_pvalue = out.non_inferiority_pvalue;
  return out;
}

double share_never_seen(double n) {
  return 1 - std::pow(0.05, 1 / n);
}

}  // namespace assay::stats
