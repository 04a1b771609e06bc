// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "assay/statistics.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace ranks_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(MidRanks, worked_by_hand) {
  const MidRanks found = mid_ranks(Values{3, 1, 3, 2, 3});
  EXPECT_EQ(found.ranks, (Values{4, 1, 4, 2, 4}));
  EXPECT_EQ(found.groups, (std::vector<std::size_t>{1, 1, 3}));
  EXPECT_TRUE(mid_ranks(Values{}).ranks.empty());
  EXPECT_EQ(mid_ranks(Values{-0.0, 0.0}).ranks, (Values{1.5, 1.5}));
}

TEST(MidRanks, vectors) {
  const auto cases = vectors::cases("rankdata");
  for (const auto& item : cases)
    EXPECT_EQ(vectors::Json(mid_ranks(vectors::numbers(item.at("x"))).ranks),
              vectors::expected(item, "all")->at("ranks"));
}

TEST(SignedRanks, zero_methods_worked_by_hand) {
  // |d| = 0 0 1 1 2: pratt ranks 1.5 1.5 3.5 3.5 5, wilcox 1.5 1.5 3 for the last three
  const Values d = {0, 1, -1, 2, -0.0};
  const SignedRanks dropped = signed_ranks(d, ZeroMethod::wilcox);
  EXPECT_EQ(dropped.plus, 4.5);
  EXPECT_EQ(dropped.minus, 1.5);
  EXPECT_EQ(dropped.ranked, 3U);
  EXPECT_EQ(dropped.doubled, (std::vector<std::uint32_t>{3, 3, 6}));
  EXPECT_EQ(dropped.tie_term, 6);
  const SignedRanks pratt = signed_ranks(d, ZeroMethod::pratt);
  EXPECT_EQ(pratt.plus, 8.5);
  EXPECT_EQ(pratt.minus, 3.5);
  EXPECT_EQ(pratt.ranked, 5U);
  EXPECT_EQ(pratt.tie_term, 6);
  const SignedRanks split = signed_ranks(d, ZeroMethod::zsplit);
  EXPECT_EQ(split.plus, 10);
  EXPECT_EQ(split.minus, 5);
  EXPECT_EQ(split.tie_term, 12);
  for (const auto& each : {dropped, pratt, split}) {
    EXPECT_EQ(each.pairs, 5U);
    EXPECT_EQ(each.zeros, 2U);
    EXPECT_EQ(each.ties, 2U);
  }
}

TEST(SignedRanks, infinite_differences_rank_last) {
  EXPECT_EQ(signed_ranks(Values{-inf, 5, -1}, ZeroMethod::wilcox).minus, 4);
  EXPECT_EQ(signed_ranks(Values{inf, inf, -1}, ZeroMethod::wilcox).plus, 5);
}

TEST(SignedRanks, a_tolerance_mends_ties_broken_by_rounding) {
  const Values d = {0.8 - 0.7, 0.85 - 0.75, -(0.4 - 0.3), 1e-12};
  EXPECT_EQ(signed_ranks(d, ZeroMethod::wilcox).ties, 0U);
  const SignedRanks mended = signed_ranks(d, ZeroMethod::wilcox, 1e-9);
  EXPECT_EQ(mended.ties, 3U);
  EXPECT_EQ(mended.zeros, 1U);
  EXPECT_EQ(mended.plus, 4);
}

}  // namespace ranks_test
