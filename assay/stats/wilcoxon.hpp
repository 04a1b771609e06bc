// SPDX-License-Identifier: Apache-2.0
/// The exact distribution of a signed-rank sum when every sign is a fair coin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::stats {

/// Above this many ranks the counts no longer fit a double.
inline constexpr std::size_t signed_rank_limit = 1000;

/// P(T <= sum) and P(T >= sum); the smaller one is accurate to a few units in the last place.
struct Tails {
  double at_most, at_least;
};

/// For any ranks (doubled mid-ranks, for instance), at most `signed_rank_limit` of them.
Tails signed_rank_tails(std::span<const std::uint32_t> ranks, std::uint64_t sum);

/// The least k with P(T <= k) >= probability, for a probability of at most one half.
std::uint64_t signed_rank_quantile(std::span<const std::uint32_t> ranks, double probability);

/// 1, 2, ..., n: the ranks when there are neither ties nor zeros.
std::vector<std::uint32_t> plain_ranks(std::size_t n);

}  // namespace assay::stats
