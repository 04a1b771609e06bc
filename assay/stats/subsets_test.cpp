// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/subsets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assay/error.hpp"

namespace assay::stats {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

TEST(Subsets, in_the_order_of_a_dictionary) {
  EXPECT_EQ(subsets(4, 2, 100, 1).members, (Lists{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(subsets(3, 3, 100, 1).members, (Lists{{0, 1, 2}}));
  EXPECT_EQ(subsets(2, 0, 100, 1).members, (Lists{{}}));
  EXPECT_THROW(subsets(2, 3, 100, 1), Error);
}

TEST(Subsets, equal_every_pattern_of_bits) {
  for (std::uint32_t count = 0; count <= 10; ++count)
    for (std::uint32_t size = 0; size <= count; ++size) {
      std::set<std::vector<std::uint32_t>> want;
      for (std::uint32_t bits = 0; bits < 1U << count; ++bits) {
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = 0; i < count; ++i)
          if (((bits >> i) & 1U) != 0) members.push_back(i);
        if (members.size() == size) want.insert(members);
      }
      const Subsets got = subsets(count, size, 1000, 1);
      EXPECT_TRUE(got.all);
      EXPECT_EQ(got.members, Lists(want.begin(), want.end())) << count << " " << size;
    }
}

TEST(Subsets, many_are_drawn_evenly) {
  const Subsets drawn = subsets(30, 10, 3000, 7);  // of 30,045,015
  EXPECT_FALSE(drawn.all);
  ASSERT_EQ(drawn.members.size(), 3000U);
  std::vector<int> uses(30);
  for (const auto& subset : drawn.members) {
    ASSERT_EQ(subset.size(), 10U);
    ASSERT_TRUE(std::ranges::is_sorted(subset, std::less_equal<>{}));
    for (const std::uint32_t i : subset) ++uses[i];
  }
  for (const int count : uses) EXPECT_NEAR(count, 1000, 160);  // six standard deviations
  EXPECT_EQ(subsets(30, 10, 3000, 7).members, drawn.members);
  EXPECT_NE(subsets(30, 10, 3000, 8).members, drawn.members);
}

}  // namespace
}  // namespace assay::stats
