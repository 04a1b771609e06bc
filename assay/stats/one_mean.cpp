// SPDX-License-Identifier: Apache-2.0
//
// Student's t expects values that are about normal. Scores of segmentations are not: they crowd
// below 1 and a few failures lie far down. The ratio t = (mean - truth) / error is then skewed as
// well, since a sample without failures has a high mean and a small error, and intervals of means
// miss the truth on that side far more often than on the other.
//
// The bootstrap-t (Efron 1982, chapter 10) does not look t up but resamples it: from each resample
// of the values t* = (mean* - mean) / error*, with the resample's own error. Quantiles of t* take
// the place of Student's. Its one-sided error falls as 1/n where that of Student's t and of the
// percentile bootstrap falls as 1/sqrt(n) (Hall 1988). What no sample holds it cannot know either:
// where one case in twenty fails, a third of all samples of 20 have no failure in them.
//
// Welch (1947): the difference of two independent means has the variance s1^2/n1 + s2^2/n2, and
// degrees of freedom by Satterthwaite.
#include "assay/stats/one_mean.hpp"

#include <algorithm>
#include <cmath>

#include "assay/error.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/resampler.hpp"

namespace assay::stats {

namespace {

/// The share of resampled ratios in a tail, the sample's own counted among them (Davison and
/// Hinkley 1997), so that no p-value is 0.
double tail_share(std::ptrdiff_t count, std::size_t replicates) {
  return static_cast<double>(count + 1) / static_cast<double>(replicates + 1);
}

double at_least(const MeanTest& test, double t) {
  const auto& ratios = test.ratios_ascending;
  if (ratios.empty()) return student_t_sf(t, test.df);
  return tail_share(ratios.end() - std::ranges::lower_bound(ratios, t), ratios.size());
}

double at_most(const MeanTest& test, double t) {
  const auto& ratios = test.ratios_ascending;
  if (ratios.empty()) return student_t_cdf(t, test.df);
  return tail_share(std::ranges::upper_bound(ratios, t) - ratios.begin(), ratios.size());
}

/// The ratios that leave `tail` outside on either side.
std::pair<double, double> limits_of_ratio(const MeanTest& test, double tail) {
  const auto& ratios = test.ratios_ascending;
  if (ratios.empty()) {
    const double t = student_t_quantile(1 - tail, test.df);
    return {-t, t};
  }
  const auto count = static_cast<double>(ratios.size());
  const double place = std::floor((count + 1) * tail + 1e-9);  // 250 of 10,000 at 0.025
  if (place < 1) return {-infinity, infinity};
  const auto k = static_cast<std::size_t>(place);
  return {ratios[k - 1], ratios[ratios.size() - k]};
}

void require_spread(std::span<const double> values) {
  if (values.size() < 2)
    throw Error(Error::Kind::input, "a test of a mean needs two values or more");
  if (std::ranges::all_of(values, [&](double x) { return x == values.front(); }))
    throw Error(Error::Kind::input,
                "all values are equal, so they do not say how much their mean varies");
}

/// t* of one resample. A resample of equal values has no spread: its ratio is beyond all others.
double ratio_of(std::span<const double> resample, const MeanTest& sample) {
  const double distance = mean(resample) - sample.mean;
  const double error =
      standard_deviation(resample, 1) / std::sqrt(static_cast<double>(resample.size()));
  constexpr double rounding = 1e-12;
  if (error > rounding * sample.error) return distance / error;
  return std::fabs(distance) <= rounding * sample.error ? 0 : std::copysign(infinity, distance);
}

}  // namespace

std::string_view name(MeanMethod method) {
  constexpr std::string_view names[] = {"student-t", "bootstrap-t", "welch-t"};
  return names[static_cast<std::size_t>(method)];
}

double MeanTest::p_value(double value) const {
  return std::min(1.0, 2 * std::min(p_above(value), p_below(value)));
}

double MeanTest::p_above(double limit) const {
  return at_least(*this, (mean - limit) / error);
}

double MeanTest::p_below(double limit) const {
  return at_most(*this, (mean - limit) / error);
}

Interval MeanTest::interval(double level) const {
  const auto [low, high] = limits_of_ratio(*this, (1 - level) / 2);
  return {mean, mean - high * error, mean - low * error};
}

MeanTest student_test(std::span<const double> values) {
  require_spread(values);
  const auto n = static_cast<double>(values.size());
  return {.mean = mean(values), .error = standard_deviation(values, 1) / std::sqrt(n), .df = n - 1};
}

MeanTest bootstrap_t_test(std::span<const double> values, const BootstrapTOptions& options) {
  if (options.replicates == 0)
    throw Error(Error::Kind::usage, "a bootstrap needs at least one replicate");
  MeanTest out = student_test(values);
  out.method = MeanMethod::bootstrap_t;
  out.ratios_ascending.resize(options.replicates);
  const Resampler resampler(values.size(), {}, seed_words(options.seed));
  const BlockTask block = [&](std::size_t first, std::size_t last, ReplicateDraws& draws) {
    std::vector<double> resample(values.size());
    for (std::size_t b = first; b < last; ++b) {
      std::ranges::transform(draws.next(), resample.begin(),
                             [&](std::uint32_t i) { return values[i]; });
      out.ratios_ascending[b] = ratio_of(resample, out);
    }
  };
  draw_in_blocks(resampler.draws(), options.replicates, options.executor, block);
  std::ranges::sort(out.ratios_ascending);
  return out;
}

MeanTest welch_test(std::span<const double> differences, double other_std,
                    std::size_t other_count) {
  if (other_count < 2 || !(other_std >= 0))
    throw Error(Error::Kind::input,
                "Welch's test needs the standard deviation and the number of the other values, "
                "two or more");
  MeanTest out = student_test(differences);
  const auto count = static_cast<double>(other_count);
  const double own = squared(out.error), other = squared(other_std) / count;
  out.method = MeanMethod::welch;
  out.error = std::sqrt(own + other);
  out.df = squared(own + other) / (squared(own) / out.df + squared(other) / (count - 1));
  return out;
}

}  // namespace assay::stats
