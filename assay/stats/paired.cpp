// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"

namespace assay::stats {
namespace {

void require_margin(double margin) {
  if (!(margin > 0)) throw Error(Error::Kind::usage, "a margin must be greater than 0");
}

constexpr std::array verdict_names = {
    Named<Verdict>{"different", Verdict::different},
    Named<Verdict>{"equivalent", Verdict::equivalent},
    Named<Verdict>{"non-inferior", Verdict::non_inferior},
    Named<Verdict>{"inconclusive", Verdict::inconclusive},
    Named<Verdict>{"too_few_pairs", Verdict::too_few_pairs},
};

}  // namespace

MeanError mean_error(std::span<const double> differences) {
  const auto n = static_cast<double>(differences.size());
  return {mean(differences), standard_deviation(differences, 1) / std::sqrt(n), n - 1,
          skewness(differences)};
}

Interval MeanError::interval(double level) const {
  const double reach = student_t_quantile((1 + level) / 2, df) * error;
  return {value, value - reach, value + reach};
}

TTest MeanError::above(double limit) const {
  const double t = (value - limit) / error;
  return {t, student_t_sf(t, df), df};
}

double MeanError::skew_corrected_above(double limit) const {
  const double n = df + 1, ratio = (value - limit) / error / std::sqrt(n);
  // The standard error of a sample's skewness: few values rarely show all of the skewness.
  const double unseen = std::sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)));
  const double g = skewness - unseen;
  const double straight =
      ratio + g * ratio * ratio / 3 + g * g * std::pow(ratio, 3) / 27 + g / (6 * n);
  return student_t_sf(std::sqrt(n) * straight, df);
}

TTest MeanError::below(double limit) const {
  const double t = (value - limit) / error;
  return {t, student_t_cdf(t, df), df};
}

TTest paired_t(std::span<const double> x, std::span<const double> y) {
  const MeanError found = mean_error(differences(x, y));
  const double t = found.value / found.error;
  return {t, 2 * student_t_sf(std::fabs(t), found.df), found.df};
}

Interval mean_interval(std::span<const double> differences, double level) {
  return mean_error(differences).interval(level);
}

Tost tost_paired(std::span<const double> x, std::span<const double> y, double margin) {
  require_margin(margin);
  const MeanError found = mean_error(differences(x, y));
  const TTest lower = found.above(-margin), upper = found.below(margin);
  return {std::max(lower.pvalue, upper.pvalue), lower, upper};
}

TTest noninferiority(std::span<const double> x, std::span<const double> y, double margin) {
  require_margin(margin);
  return mean_error(differences(x, y)).above(-margin);
}

std::string_view name(Verdict verdict) {
  return name_in(std::span<const Named<Verdict>>(verdict_names), verdict);
}

Verdict verdict(const Interval& difference, std::optional<double> margin) {
  const auto [estimate, lower, upper] = difference;
  if (margin && lower > -*margin && upper < *margin) return Verdict::equivalent;
  if (lower > 0 || upper < 0) return Verdict::different;
  if (margin && lower > -*margin) return Verdict::non_inferior;
  return Verdict::inconclusive;
}

ResampledT resampled_t(std::span<const double> differences, double test_share, double level) {
  if (!(test_share >= 0 && std::isfinite(test_share)))
    throw Error(Error::Kind::usage, "the share of test cases must be a number of 0 or more");
  const auto n = static_cast<double>(differences.size());
  const double df = n - 1, centre = mean(differences);
  const double error = standard_deviation(differences, 1) * std::sqrt(1 / n + test_share);
  const double t = centre / error;
  const double reach = student_t_quantile((1 + level) / 2, df) * error;
  return {{t, 2 * student_t_sf(std::fabs(t), df), df}, {centre, centre - reach, centre + reach}};
}

double t_power(double effect, double n, double alpha) {
  const double df = n - 1, shift = effect * std::sqrt(n);
  const double critical = student_t_quantile(1 - alpha / 2, df);
  return noncentral_t_sf(critical, df, shift) + noncentral_t_cdf(-critical, df, shift);
}

double pairs_for_power(double effect, double power, double alpha) {
  if (effect == 0 || !(power > alpha && power < 1))
    throw Error(Error::Kind::usage,
                "a sample size needs an effect and a power between alpha and 1");
  double low = 2, high = 4;
  while (t_power(effect, high, alpha) < power) {
    low = high;
    high *= 2;
    if (high > 1e9) return std::numeric_limits<double>::infinity();
  }
  for (int step = 0; step < 80 && high - low > 1e-12 * high; ++step) {
    const double middle = (low + high) / 2;
    (t_power(effect, middle, alpha) < power ? low : high) = middle;
  }
  return high;
}

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

/// One-sided p-value that the mean is above the limit, by Student's t with or without its
/// correction for skewness, whichever is stricter. Failures skew differences, and t alone then
/// claims too much.
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
  require_margin(options.margin);
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
