// SPDX-License-Identifier: Apache-2.0
//
// The Hodges-Lehmann estimate is the median of n(n+1)/2 pairwise (Walsh) means, and its confidence
// limits are two other order statistics of them (Hollander and Wolfe, chapter 3). None of them
// needs the means to be stored. With the differences sorted, row i of the triangle d_i + d_j grows
// with j, so one walk along the staircase counts the sums that are at most v in O(n). Doubles are
// ordered like whole numbers, so bisection over their bits finds the k-th sum itself, not an
// approximation, in at most 64 walks: 934 differences take 60 thousand steps instead of 436
// thousand stored means.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/wilcoxon.hpp"

namespace assay::stats {

namespace {

constexpr std::size_t exact_pairs = 500;

/// Doubles as whole numbers in the same order, and back.
std::int64_t place_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double at_place(std::int64_t place) {
  return std::bit_cast<double>(place >= 0 ? place
                                          : std::numeric_limits<std::int64_t>::min() - place);
}

/// How many sums d_i + d_j with i <= j are at most `limit`.
std::uint64_t sums_at_most(std::span<const double> ascending, double limit) {
  std::uint64_t count = 0;
  std::size_t end = ascending.size();
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && ascending[i] + ascending[end - 1] > limit) --end;
    count += end - i;
  }
  return count;
}

/// The k-th smallest Walsh mean, k from 1.
double walsh_mean(std::span<const double> ascending, std::uint64_t k) {
  std::int64_t low = place_of(2 * ascending.front());
  std::int64_t high = place_of(2 * ascending.back());
  while (low < high) {
    const std::int64_t middle =
        low + static_cast<std::int64_t>(
                  (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)) / 2);
    if (sums_at_most(ascending, at_place(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return at_place(low) / 2;
}

std::vector<double> ranks_of_magnitudes(std::span<const double> differences) {
  std::vector<double> magnitudes(differences.size());
  std::transform(differences.begin(), differences.end(), magnitudes.begin(),
                 [](double d) { return std::fabs(d); });
  return mid_ranks(magnitudes).ranks;
}

double sum_of_squares(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// Which Walsh mean from either end is the limit: the quantile of the signed-rank sum, given the
/// ties, or that of its normal curve when there are too many differences for the exact one.
std::uint64_t limit_place(std::span<const double> differences, double tail) {
  const std::vector<double> ranks = ranks_of_magnitudes(differences);
  const auto n = static_cast<double>(differences.size());
  double place = n * (n + 1) / 4 + normal_quantile(tail) * std::sqrt(sum_of_squares(ranks)) / 2;
  if (differences.size() <= exact_pairs) {
    std::vector<std::uint32_t> doubled;
    doubled.reserve(ranks.size());
    for (const double rank : ranks) doubled.push_back(static_cast<std::uint32_t>(2 * rank));
    place = static_cast<double>(signed_rank_quantile(doubled, tail)) / 2;
  }
  return static_cast<std::uint64_t>(std::max(std::round(place), 1.0));
}

std::vector<double> ascending_without_nan(std::span<const double> differences) {
  const auto is_nan = [](double d) { return std::isnan(d); };
  if (differences.empty() || std::any_of(differences.begin(), differences.end(), is_nan))
    throw Error(Error::Kind::input,
                "the Hodges-Lehmann estimate needs at least one difference and no NaN among them");
  std::vector<double> ascending(differences.begin(), differences.end());
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

std::uint64_t walsh_count(std::size_t n) {
  return std::uint64_t{n} * (n + 1) / 2;
}

/// The median of the Walsh means, and those at `place` from either end.
Interval walsh_interval(std::span<const double> ascending, std::uint64_t place) {
  const std::uint64_t count = walsh_count(ascending.size());
  place = std::min(place, (count + 1) / 2);
  const double below = walsh_mean(ascending, (count + 1) / 2);
  const double above = count % 2 == 1 ? below : walsh_mean(ascending, count / 2 + 1);
  return {below == above ? below : (below + above) / 2, walsh_mean(ascending, place),
          walsh_mean(ascending, count + 1 - place)};
}

}  // namespace

double rank_biserial(std::span<const double> differences) {
  const SignedRanks ranks = signed_ranks(differences, ZeroMethod::wilcox);
  const double total = ranks.plus + ranks.minus;
  return total == 0 ? 0 : (ranks.plus - ranks.minus) / total;
}

double probability_of_superiority(std::span<const double> differences) {
  double wins = 0;
  for (const double d : differences) wins += d > 0 ? 1.0 : d == 0 ? 0.5 : 0.0;
  return differences.empty() ? nan : wins / static_cast<double>(differences.size());
}

double cohens_dz(std::span<const double> differences) {
  return mean(differences) / standard_deviation(differences, 1);
}

Interval hodges_lehmann(std::span<const double> differences, double level) {
  const std::vector<double> ascending = ascending_without_nan(differences);
  if (!(level > 0 && level < 1))
    throw Error(Error::Kind::usage, "the confidence level must lie between 0 and 1");
  return walsh_interval(ascending, limit_place(ascending, (1 - level) / 2));
}

Interval hodges_lehmann_within(std::span<const double> differences, double critical) {
  constexpr double rounding = 1e-12;
  const std::vector<double> ascending = ascending_without_nan(differences);
  const auto all = static_cast<double>(walsh_count(ascending.size()));
  const double reach = critical * std::sqrt(sum_of_squares(ranks_of_magnitudes(ascending)));
  // The test rejects while the smaller rank sum is at most this.
  const double rejected = (all - reach * (1 - rounding)) / 2;
  Interval out = walsh_interval(
      ascending, rejected < 0 ? 1 : static_cast<std::uint64_t>(std::floor(rejected)) + 1);
  if (!(rejected >= 0)) out.lower = out.upper = nan;
  return out;
}

}  // namespace assay::stats
