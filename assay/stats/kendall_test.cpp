// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/kendall.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/error.hpp"

using namespace assay;
using namespace assay::stats;
using Values = std::vector<double>;

TEST(KendallTau, by_hand) {
  EXPECT_EQ(kendall_tau_b(Values{1, 2, 3, 4}, Values{10, 20, 30, 40}), 1);
  EXPECT_EQ(kendall_tau_b(Values{1, 2, 3, 4}, Values{4, 3, 2, 1}), -1);
  // One of six pairs is turned: (5 - 1) / 6.
  EXPECT_NEAR(kendall_tau_b(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), 4.0 / 6, 1e-15);
  // y ties one pair: 2 / sqrt(3 * 2).
  EXPECT_NEAR(kendall_tau_b(Values{1, 2, 3}, Values{1, 1, 2}), 2 / std::sqrt(6.0), 1e-15);
  // scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
  EXPECT_NEAR(kendall_tau_b(Values{12, 2, 1, 12, 2}, Values{1, 4, 7, 1, 0}), -0.47140452079103173,
              1e-15);
}

TEST(KendallTau, is_nothing_where_a_side_has_no_order) {
  EXPECT_TRUE(std::isnan(kendall_tau_b(Values{1, 1, 1}, Values{1, 2, 3})));
  EXPECT_TRUE(std::isnan(kendall_tau_b(Values{}, Values{})));
  EXPECT_THROW(kendall_tau_b(Values{1, 2}, Values{1}), Error);
}
