// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/signed_rank_null.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "assay/error.hpp"
#include "assay/stats/random.hpp"

using namespace assay;
using namespace assay::stats;

namespace {

using Ranks = std::vector<std::uint32_t>;

/// All 2^n sign patterns, one by one.
Tails enumerated(const Ranks& ranks, std::uint64_t sum) {
  double at_most = 0, at_least = 0;
  for (unsigned signs = 0; signs < 1U << ranks.size(); ++signs) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) found += (signs >> i & 1U) ? ranks[i] : 0;
    at_most += found <= sum;
    at_least += found >= sum;
  }
  const double all = std::ldexp(1.0, static_cast<int>(ranks.size()));
  return {at_most / all, at_least / all};
}

}  // namespace

TEST(SignedRankNull, equals_enumeration_for_any_ranks) {
  Generator generator(1);
  for (int trial = 0; trial < 60; ++trial) {
    Ranks ranks(static_cast<std::size_t>(generator.below(9)));
    for (auto& rank : ranks) rank = 1 + static_cast<std::uint32_t>(generator.below(9));
    if (trial % 2 == 0)
      for (auto& rank : ranks) rank *= 2;
    const auto total = std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0});
    for (std::uint64_t sum = 0; sum <= total + 1; ++sum) {
      const Tails found = signed_rank_tails(ranks, sum), wanted = enumerated(ranks, sum);
      EXPECT_EQ(found.at_most, wanted.at_most) << sum << " of " << total;
      EXPECT_EQ(found.at_least, wanted.at_least) << sum << " of " << total;
    }
  }
}

TEST(SignedRankNull, quantile_is_the_least_sum_that_reaches_the_probability) {
  for (std::size_t n = 1; n <= 14; ++n)
    for (const double p : {0.5, 0.25, 0.05, 0.025, 0.005}) {
      const Ranks ranks = plain_ranks(n);
      const std::uint64_t k = signed_rank_quantile(ranks, p);
      EXPECT_GE(signed_rank_tails(ranks, k).at_most, p);
      EXPECT_TRUE(k == 0 || signed_rank_tails(ranks, k - 1).at_most < p);
    }
}

TEST(SignedRankNull, tails_stay_accurate_far_out) {
  const Ranks ranks = plain_ranks(1000);
  EXPECT_EQ(signed_rank_tails(ranks, 0).at_most, 0x1p-1000);
  EXPECT_EQ(signed_rank_tails(ranks, 500500).at_least, 0x1p-1000);
  EXPECT_EQ(signed_rank_tails(ranks, 3).at_most, 0x5p-1000);  // {}, 1, 2, 3, 1+2
  EXPECT_THROW(signed_rank_tails(plain_ranks(1001), 3), Error);
}
