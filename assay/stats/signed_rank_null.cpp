// SPDX-License-Identifier: Apache-2.0
//
// Under the null hypothesis each rank counts or not with probability 1/2, so the distribution of
// the rank sum T is the number of subsets of the ranks with that sum, over 2^n. Adding one rank r
// to the set shifts the counts by r and adds them: g[s] = f[s] + f[s - r]. That is the shift
// algorithm of Streitberg and Roehmel (1986). It does not ask where the ranks come from: mid-ranks
// of ties are doubled to make them whole, ranks of zeros are left out (the distribution is then
// conditional on ties and zeros), and without ties it is the classical table.
//
// Three facts keep it cheap and accurate. T is symmetric about half the total, so either tail is a
// lower tail and sums beyond the one asked for are never formed. A common divisor of all ranks
// (2, when no tie is of even size) shrinks the table. And only additions of non-negative numbers
// occur, so that a tail of 1e-60 is as accurate as one of 0.5; peers that form 1 - P lose it
// (scipy#26026). Counts are below 2^1000 and fit a double; up to 2^53 they are exact.
#include "assay/stats/signed_rank_null.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.hpp"

namespace assay::stats {

namespace {

struct Ranks {
  std::vector<std::uint32_t> each;  ///< divided by `divisor`, ascending
  std::uint64_t divisor = 1, total = 0;
};

Ranks reduced(std::span<const std::uint32_t> ranks) {
  if (ranks.size() > signed_rank_limit)
    throw Error(Error::Kind::unsupported,
                "the exact signed-rank distribution is limited to 1000 non-zero differences; use "
                "the asymptotic method");
  Ranks result{{ranks.begin(), ranks.end()}};
  std::sort(result.each.begin(), result.each.end());
  std::uint32_t divisor = 0;
  for (const std::uint32_t rank : ranks) divisor = std::gcd(divisor, rank);
  result.divisor = std::max(divisor, 1U);
  for (std::uint32_t& rank : result.each) rank /= static_cast<std::uint32_t>(result.divisor);
  result.total = std::accumulate(result.each.begin(), result.each.end(), std::uint64_t{0});
  return result;
}

/// to[s] = from[s] + from[s - rank] for s in rank .. last, out of place so that it vectorises.
void shift_and_add(const double* __restrict from, double* __restrict to, std::size_t rank,
                   std::size_t last) {
  for (std::size_t s = rank; s <= last; ++s) to[s] = from[s] + from[s - rank];
}

/// How many subsets have the sum 0, 1, ..., last.
std::vector<double> subset_counts(const Ranks& ranks, std::uint64_t last) {
  const auto limit = static_cast<std::size_t>(last);
  std::vector<double> counts(limit + 1), next(limit + 1);
  counts[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks.each) {
    reached = std::min(reached + rank, limit);
    std::copy_n(counts.begin(), std::min(rank, reached + 1), next.begin());
    shift_and_add(counts.data(), next.data(), rank, reached);
    counts.swap(next);
  }
  return counts;
}

double as_probability(double count, const Ranks& ranks) {
  return std::ldexp(count, -static_cast<int>(ranks.each.size()));
}

}  // namespace

Tails signed_rank_tails(std::span<const std::uint32_t> ranks, std::uint64_t sum) {
  const Ranks small = reduced(ranks);
  // A sum between two attainable ones belongs to the lower for "at most", the upper for "at least".
  const std::uint64_t below = std::min(sum / small.divisor, small.total);
  const std::uint64_t above = (sum + small.divisor - 1) / small.divisor;
  if (above > small.total) return {1, 0};
  const bool low = below + above <= small.total;
  // The near tail ends at `near`; its complement begins one after `far`.
  const std::uint64_t near = low ? below : small.total - above;
  const std::uint64_t far = low ? above : small.total - below;
  const std::vector<double> counts = subset_counts(small, near);
  const double tail = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double last = far == near ? counts.back() : 0;
  const double near_tail = as_probability(tail, small);
  const double far_tail = 1 - as_probability(tail - last, small);
  return low ? Tails{near_tail, far_tail} : Tails{far_tail, near_tail};
}

std::uint64_t signed_rank_quantile(std::span<const std::uint32_t> ranks, double probability) {
  const Ranks small = reduced(ranks);
  const std::vector<double> counts = subset_counts(small, small.total / 2);
  double tail = 0;
  for (std::size_t sum = 0; sum < counts.size(); ++sum) {
    tail += counts[sum];
    if (as_probability(tail, small) >= probability) return sum * small.divisor;
  }
  return small.total / 2 * small.divisor;
}

std::vector<std::uint32_t> plain_ranks(std::size_t n) {
  std::vector<std::uint32_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 1U);
  return ranks;
}

}  // namespace assay::stats
