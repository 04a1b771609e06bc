// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace friedman_test {

using namespace assay;
using namespace assay::stats;

using Table = std::vector<std::vector<double>>;

TEST(Friedman, worked_by_hand) {
  // Two cases agree on the order: rank sums 2, 4, 6 and chi2 = 12/(3*2*4) * 56 - 3*2*4 = 4
  const FriedmanResult found = friedman(Table{{3, 2, 1}, {9, 8, 7}});
  EXPECT_DOUBLE_EQ(found.statistic, 4);
  EXPECT_DOUBLE_EQ(found.pvalue, std::exp(-2.0));
  EXPECT_DOUBLE_EQ(found.kendall_w, 1);
  EXPECT_EQ(found.mean_ranks, (std::vector<double>{1, 2, 3}));
}

TEST(Friedman, ties_throughout_are_no_evidence) {
  const FriedmanResult found = friedman(Table{{1, 1, 1}, {2, 2, 2}});
  EXPECT_EQ(found.pvalue, 1);
  EXPECT_EQ(found.mean_ranks, (std::vector<double>{2, 2, 2}));
}

TEST(Friedman, refuses_incomplete_tables) {
  EXPECT_THROW(friedman(Table{}), Error);
  EXPECT_THROW(friedman(Table{{1, 2, 3}}), Error);
  EXPECT_THROW(friedman(Table{{1, 2}, {1, 2}}), Error);
  EXPECT_THROW(friedman(Table{{1, 2, 3}, {1, 2}}), Error);
  EXPECT_THROW(friedman(Table{{1, 2, 3}, {1, 2, NAN}}), Error);
}

TEST(StudentizedRange, two_groups_are_a_normal_difference) {
  for (const double q : {0.1, 1.0, 3.0, 8.0})
    EXPECT_NEAR(studentized_range_sf(q, 2) / (2 * normal_sf(q / std::sqrt(2.0))), 1, 1e-12) << q;
  EXPECT_EQ(studentized_range_sf(0, 5), 1);
  EXPECT_NEAR(studentized_range_quantile(0.05, 2), 1.959963984540054 * std::sqrt(2.0), 1e-11);
  EXPECT_THROW(studentized_range_quantile(0, 3), Error);
}

TEST(StudentizedRange, vectors) {
  const auto cases = vectors::cases("studentized_range_inf");
  for (const auto& item : cases) {
    const auto& want = *vectors::expected(item, "scipy-1.17.1");
    const unsigned k = item.at("k");
    const double rtol = item.at("rtol");
    for (std::size_t i = 0; i < item.at("q").size(); ++i)
      vectors::expect_near(studentized_range_sf(item.at("q")[i], k), want.at("sf")[i], rtol,
                           item.at("id"));
    for (std::size_t i = 0; i < item.at("alphas").size(); ++i)
      vectors::expect_near(studentized_range_quantile(item.at("alphas")[i], k), want.at("ppf")[i],
                           rtol, item.at("id"));
  }
}

TEST(Friedman, vectors) {
  const auto cases = vectors::cases("friedman");
  for (const auto& item : cases) {
    const auto table = item.at("data").get<Table>();
    const auto& want = *vectors::expected(item, "scipy-1.17.1");
    const double rtol = item.at("rtol");
    const std::string where = item.at("id");
    const FriedmanResult found = friedman(table);
    vectors::expect_near(found.statistic, want.at("chi2"), rtol, where);
    vectors::expect_near(found.pvalue, want.at("pvalue"), rtol, where);
    vectors::expect_near(found.f, want.at("iman_davenport_F"), rtol, where);
    vectors::expect_near(found.f_pvalue, want.at("iman_davenport_p"), rtol, where);
    vectors::expect_near(found.kendall_w, want.at("kendall_w"), rtol, where);
    const NemenyiResult pairs = nemenyi(table);
    vectors::expect_near(pairs.critical_difference, want.at("cd_0.05"), rtol, where);
    const auto& upper = want.at("nemenyi_p_upper");
    for (std::size_t a = 0; a < upper.size(); ++a) {
      vectors::expect_near(found.mean_ranks[a], want.at("mean_ranks_desc")[a], rtol, where);
      for (std::size_t b = a + 1; b < upper.size(); ++b)
        if (!upper[a][b].is_null())
          vectors::expect_near(pairs.pvalues[a][b], upper[a][b], rtol, where);
    }
  }
}

}  // namespace friedman_test
