// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/statistics.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace mcnemar_test {

using namespace assay;
using namespace assay::stats;

TEST(McNemar, worked_by_hand) {
  // b = 1, c = 4: P(X <= 1 of 5) = 6/32
  EXPECT_DOUBLE_EQ(mcnemar(1, 4).pvalue, 12.0 / 32);
  EXPECT_EQ(mcnemar(4, 1).statistic, 1);
  EXPECT_DOUBLE_EQ(mcnemar(1, 4, McNemarMethod::mid_p).pvalue, (12.0 - 5) / 32);
  EXPECT_DOUBLE_EQ(mcnemar(1, 1, McNemarMethod::mid_p).pvalue, 0.75);  // Fagerland et al. 2013
  EXPECT_DOUBLE_EQ(mcnemar(1, 4, McNemarMethod::corrected).statistic, 0.8);
  EXPECT_DOUBLE_EQ(mcnemar(1, 4, McNemarMethod::uncorrected).statistic, 1.8);
}

TEST(McNemar, no_discordant_item_is_no_evidence) {
  for (const auto& row : mcnemar_methods())
    EXPECT_EQ(mcnemar(0, 0, row.value).pvalue, 1) << row.name;
}

TEST(McNemar, is_symmetric) {
  for (const auto& row : mcnemar_methods())
    for (std::uint64_t b = 0; b < 9; ++b)
      EXPECT_EQ(mcnemar(b, 7, row.value).pvalue, mcnemar(7, b, row.value).pvalue) << row.name;
}

TEST(McNemar, vectors) {
  const auto cases = vectors::cases("mcnemar");
  for (const auto& item : cases) {
    if (item.contains("peer_defect")) continue;  // b + c = 0: statsmodels gives p = 0 or NaN
    const bool exact = item.at("exact"), correction = item.at("correction");
    const McNemarMethod method = exact        ? McNemarMethod::exact
                                 : correction ? McNemarMethod::corrected
                                              : McNemarMethod::uncorrected;
    const McNemarResult found = mcnemar(item.at("b"), item.at("c"), method);
    const auto& want = *vectors::expected(item, "scipy-1.15.3");
    const std::string where = item.at("id");
    vectors::expect_near(found.statistic, want.at("statistic"), item.at("rtol"), where);
    vectors::expect_near(found.pvalue, want.at("pvalue"), item.at("rtol"), where);
  }
}

}  // namespace mcnemar_test
