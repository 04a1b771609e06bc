// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/usage.hpp"

#include <gtest/gtest.h>

namespace assay::qa::usage_test {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(Usage, totals_of_absurd_counts_stay_numbers) {
  EXPECT_EQ((Usage{.input = 1, .cache_write = 2, .cache_read = 3, .output = 4}).total(), 10);
  EXPECT_EQ((Usage{.input = most, .output = most}).total(), most);
  EXPECT_EQ((Usage{.input = 1, .cache_write = most, .cache_read = most, .output = 1}).total(),
            most);
  EXPECT_EQ((Usage{.input = 1}).total(), std::nullopt);
}

TEST(Usage, sums_are_capped_on_both_sides) {
  EXPECT_EQ(capped_sum(most, std::int64_t{1}), most);
  EXPECT_EQ(capped_sum(-most, -most), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(capped_sum(most, -most), 0);
  EXPECT_EQ(capped_sum(0.5, 0.25), 0.75);
}

}  // namespace assay::qa::usage_test
