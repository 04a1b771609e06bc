// SPDX-License-Identifier: Apache-2.0
//
// Two one-sided t tests show equivalence when |mean| < margin - t S / sqrt(n). The mean is normal
// and S / sigma = u is chi / sqrt(df), independently. Given u the probability is a difference of
// two normal tails, and it is 0 from the u on at which the margin is used up. What is left is one
// integral over u (Owen 1965 writes it as a difference of two Q functions; Phillips 1990). It is
// taken here by Gauss-Legendre over the 12 standard deviations of u around its peak. The density is
// divided by its own integral over the same nodes, so that no gamma function is needed.
//
// The signed-rank test has no such formula: its power depends on the shape of the differences. So
// studies are drawn from the pilot's differences and tested. Study k has a stream of its own and
// draws its first pairs first, so that studies grow with n and the power found hardly jumps.
#include "assay/stats/power.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats {
namespace {

constexpr double most_pairs = 1e9;
constexpr std::size_t most_exact = 50;  // above, the normal approximation is as good

void require(const PowerTarget& target) {
  if (!(target.alpha > 0 && target.power > target.alpha && target.power < 1))
    throw Error(Error::Kind::usage, "a power must lie between alpha and 1, such as 0.8");
}

std::size_t whole_pairs(double pairs) {
  // A size such as 34.0000000001 is 34 with a rounding error.
  return std::max(least_pairs, static_cast<std::size_t>(std::ceil(pairs * (1 - 1e-12))));
}

/// The least whole n from `least_pairs` on for which `suffices`, which stays true once it is.
template <class Test>
std::optional<std::size_t> least_whole(const Test& suffices) {
  std::size_t low = least_pairs, high = least_pairs;
  while (!suffices(high)) {
    if (static_cast<double>(high) > most_pairs) return std::nullopt;
    low = high + 1;
    high *= 2;
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (suffices(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

/// One study: whether the test rejects, and in the direction of `sign`.
bool rejects(const std::vector<double>& drawn, double sign, double alpha) {
  const WilcoxonOptions options = {
      .method = drawn.size() > most_exact ? WilcoxonMethod::asymptotic : WilcoxonMethod::exact,
      .alternative = sign > 0 ? Alternative::greater : Alternative::less};
  return 2 * wilcoxon(drawn, options).pvalue <= alpha;
}

}  // namespace

std::optional<std::size_t> pairs_for_difference(double difference, double sd,
                                                const PowerTarget& target) {
  require(target);
  const double effect = std::fabs(difference) / sd;
  if (!(effect > 0)) return std::nullopt;
  // Above 10 standard deviations any study that is large enough for a verdict will do.
  const double pairs = pairs_for_power(std::min(effect, 10.0), target.power, target.alpha);
  if (!(pairs <= most_pairs)) return std::nullopt;
  return whole_pairs(pairs);
}

double tost_power(double to_lower, double to_upper, double df, double alpha) {
  const double critical = student_t_quantile(1 - alpha, df);
  if (std::isnan(critical)) return std::numeric_limits<double>::quiet_NaN();
  const double peak = std::sqrt(std::max(df - 1, 0.0) / df), reach = 12 / std::sqrt(2 * df);
  const auto exponent = [&](double u) { return (df - 1) * std::log(u) - df * u * u / 2; };
  const double highest = peak > 0 ? exponent(peak) : 0;
  const auto density = [&](double u) { return std::exp(exponent(u) - highest); };
  const double from = std::max(peak - reach, 0.0), to = peak + reach;
  const double used_up = (to_lower + to_upper) / (2 * critical);  // no u above it is equivalent
  if (!(used_up > from)) return 0;
  const auto chance = [&](double u) {
    return normal_cdf(to_upper - critical * u) - normal_cdf(critical * u - to_lower);
  };
  const double all = integral(from, to, density);
  const double met = integral(from, std::min(to, used_up),
                              [&](double u) { return std::max(chance(u), 0.0) * density(u); });
  return met / all;
}

std::optional<std::size_t> pairs_for_equivalence(const Equivalence& of, const PowerTarget& target) {
  require(target);
  if (!(of.margin > std::fabs(of.difference))) return std::nullopt;
  return least_whole([&](std::size_t pairs) {
    const auto n = static_cast<double>(pairs);
    const double in_errors = std::sqrt(n) / of.sd;
    return tost_power((of.margin + of.difference) * in_errors,
                      (of.margin - of.difference) * in_errors, n - 1, target.alpha) >= target.power;
  });
}

Interval sd_interval(double sd, double n, double level) {
  const double df = n - 1;
  return {sd, sd * std::sqrt(df / chi2_quantile((1 + level) / 2, df)),
          sd * std::sqrt(df / chi2_quantile((1 - level) / 2, df))};
}

double cautious_sd(double sd, double n) {
  return sd * std::sqrt((n - 1) / chi2_quantile(0.2, n - 1));
}

std::vector<double> shifted_shape(std::span<const double> pilot, double centre) {
  const auto n = static_cast<double>(pilot.size());
  const double middle = mean(pilot), sd = standard_deviation(pilot, 1);
  const double quartiles = (percentile(pilot, 75) - percentile(pilot, 25)) / 1.34;
  const double width = 0.9 * (quartiles > 0 ? std::min(sd, quartiles) : sd) * std::pow(n, -0.2);
  const std::size_t copies = std::clamp<std::size_t>(10000 / pilot.size(), 5, 200);
  std::vector<double> apart;
  for (const double d : pilot)
    for (std::size_t k = 0; k < copies; ++k) {
      const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(copies);
      apart.push_back(d - middle + width * normal_quantile(p));
      apart.push_back(-apart.back());
    }
  const double scale = sd / standard_deviation(apart, 0);
  for (double& each : apart) each = centre + scale * each;
  return apart;
}

double signed_rank_power(const SimulatedStudies& of, std::size_t n) {
  const double sign = mean(of.differences) < 0 ? -1 : 1;
  const auto pool = static_cast<std::uint32_t>(of.differences.size());
  std::atomic<std::size_t> rejected = 0;
  run_tasks(of.executor, of.studies, [&](std::size_t study) {
    const std::array key = {static_cast<std::uint32_t>(study)};
    Generator random(SeedSequence(seed_words(of.seed), key));
    std::vector<std::uint32_t> indices(n);
    random.fill_below(pool, indices);
    std::vector<double> drawn(n);
    std::ranges::transform(indices, drawn.begin(), [&](auto i) { return of.differences[i]; });
    if (rejects(drawn, sign, of.alpha)) ++rejected;
  });
  return static_cast<double>(rejected) / static_cast<double>(of.studies);
}

std::optional<std::size_t> signed_rank_pairs(const SimulatedStudies& of, double power,
                                             std::size_t start) {
  const std::size_t limit = std::min(most_simulated, 10 * start);
  std::size_t low = least_pairs, high = std::max(start, least_pairs);
  if (high > limit) return std::nullopt;
  double before = 0;
  for (double found = 0; (found = signed_rank_power(of, high)) < power; before = found) {
    const bool grows = low == least_pairs || found > before || found > 0.5;
    if (high == limit || !grows) return std::nullopt;
    low = high + 1;
    high = std::min(limit, 2 * high);
  }
  while (low < high && (high - low) * 100 >= high) {
    const std::size_t middle = low + (high - low) / 2;
    if (signed_rank_power(of, middle) >= power)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

}  // namespace assay::stats
