// SPDX-License-Identifier: Apache-2.0
//
// The Hodges-Lehmann estimate is the median of n(n+1)/2 pairwise (Walsh) means, and its confidence
// limits are two other order statistics of them (Hollander and Wolfe, chapter 3). None of them
// needs the means to be stored. With the differences sorted, row i of the triangle d_i + d_j grows
// with j, so one walk along the staircase counts the sums that are at most v in O(n). Doubles are
// ordered like whole numbers, so bisection over their bits finds the k-th sum itself, not an
// approximation, in at most 64 walks: 934 differences take 60 thousand steps instead of 436
// thousand stored means.
#include "assay/stats/effects.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/ranks.hpp"
#include "assay/stats/signed_rank_null.hpp"

namespace assay {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t exact_limit = 500;

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

/// Which Walsh mean from either end is the limit: the quantile of the signed-rank sum, given the
/// ties, or that of its normal curve when there are too many differences for the exact one.
std::uint64_t limit_place(std::span<const double> differences, double tail) {
  const auto n = static_cast<double>(differences.size());
  double place =
      n * (n + 1) / 4 + normal_quantile(tail) * std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  if (differences.size() <= exact_limit) {
    std::vector<double> magnitudes(differences.size());
    std::transform(differences.begin(), differences.end(), magnitudes.begin(),
                   [](double d) { return std::fabs(d); });
    std::vector<std::uint32_t> doubled;
    for (const double rank : mid_ranks(magnitudes).ranks)
      doubled.push_back(static_cast<std::uint32_t>(2 * rank));
    place = static_cast<double>(signed_rank_quantile(doubled, tail)) / 2;
  }
  return static_cast<std::uint64_t>(std::max(std::round(place), 1.0));
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
  const auto is_nan = [](double d) { return std::isnan(d); };
  if (differences.empty() || std::any_of(differences.begin(), differences.end(), is_nan))
    throw Error(Error::Kind::input,
                "the Hodges-Lehmann estimate needs at least one difference and no NaN among them");
  if (!(level > 0 && level < 1))
    throw Error(Error::Kind::usage, "the confidence level must lie between 0 and 1");
  std::vector<double> ascending(differences.begin(), differences.end());
  std::sort(ascending.begin(), ascending.end());
  const std::uint64_t n = ascending.size();
  const std::uint64_t count = n * (n + 1) / 2;
  const std::uint64_t place = std::min(limit_place(ascending, (1 - level) / 2), (count + 1) / 2);
  const double below = walsh_mean(ascending, (count + 1) / 2);
  const double above = count % 2 == 1 ? below : walsh_mean(ascending, count / 2 + 1);
  return {below == above ? below : (below + above) / 2, walsh_mean(ascending, place),
          walsh_mean(ascending, count + 1 - place)};
}

}  // namespace assay
