// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/proportions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/stats/vectors_for_test.hpp"

using namespace assay;
using namespace assay::stats;

TEST(Proportions, rule_of_three) {
  // No success in n: Clopper-Pearson's upper limit solves (1 - p)^n = 0.025
  const Interval found = proportion_interval(0, 10, 0.95, ProportionMethod::clopper_pearson);
  EXPECT_EQ(found.lower, 0);
  EXPECT_NEAR(found.upper, 1 - std::pow(0.025, 0.1), 1e-14);
}

TEST(Proportions, mirror_and_contain_the_estimate) {
  for (const auto& row : proportion_methods())
    for (std::uint64_t count = 0; count <= 7; ++count) {
      const Interval found = proportion_interval(count, 7, 0.9, row.value);
      const Interval mirrored = proportion_interval(7 - count, 7, 0.9, row.value);
      EXPECT_NEAR(found.lower, 1 - mirrored.upper, 1e-14) << row.name;
      EXPECT_GE(found.lower, 0) << row.name;
      EXPECT_LE(found.lower, found.upper) << row.name;
      EXPECT_EQ(found.estimate, static_cast<double>(count) / 7) << row.name;
    }
}

TEST(Proportions, refuse_impossible_counts) {
  EXPECT_THROW(proportion_interval(0, 0), Error);
  EXPECT_THROW(proportion_interval(3, 2), Error);
  EXPECT_THROW(proportion_interval(1, 2, 1), Error);
}

TEST(Proportions, vectors) {
  const auto cases = vectors::cases("proportion_ci");
  for (const auto& item : cases) {
    const auto method =
        value_in(proportion_methods(), item.at("method").get<std::string>(), "method");
    const Interval found = proportion_interval(item.at("count"), item.at("nobs"),
                                               1 - item.at("alpha").get<double>(), method);
    const auto& want = vectors::expected(item, "scipy-1.15.3")->at("ci");
    // wilson at 0 successes: a rounding residue of 1e-17 beside 0
    const double slack = std::fabs(found.lower - want[0].get<double>()) < 1e-15 ? 1.0 : 0.0;
    vectors::expect_near(found.lower, want[0], std::max(slack, item.at("rtol").get<double>()),
                         item.at("id"));
    vectors::expect_near(found.upper, want[1], item.at("rtol"), item.at("id"));
  }
}
