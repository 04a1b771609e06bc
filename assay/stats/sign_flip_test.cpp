// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/executors_for_test.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats::sign_flip_test {

using Units = std::vector<std::int64_t>;

/// All flips, one after the other.
SignFlipTest enumerated(const Units& units, std::int64_t slack) {
  std::int64_t observed = 0, further = 0, equal = 0;
  for (const std::int64_t unit : units) observed += unit;
  const std::uint64_t flips = std::uint64_t{1} << units.size();
  for (std::uint64_t signs = 0; signs < flips; ++signs) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < units.size(); ++i)
      sum += ((signs >> i) & 1U) != 0 ? units[i] : -units[i];
    const std::int64_t distance = std::abs(sum) - std::abs(observed);
    further += distance > slack ? 1 : 0;
    equal += std::abs(distance) <= slack ? 1 : 0;
  }
  const double all = std::ldexp(1.0, static_cast<int>(units.size()));
  SignFlipTest out = {.statistic = observed};
  out.pvalue = static_cast<double>(further + equal) / all;
  out.mid_pvalue = (static_cast<double>(further) + static_cast<double>(equal) / 2) / all;
  return out;
}

Units random_units(Generator& chance, std::size_t count, std::uint64_t range) {
  Units out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(static_cast<std::int64_t>(chance.below(2 * range + 1)) -
                  static_cast<std::int64_t>(range));
  return out;
}

TEST(SignFlip, equals_full_enumeration) {
  Generator chance(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Units units = random_units(chance, chance.below(13), trial % 3 == 0 ? 1 : 40);
    const auto slack = static_cast<std::int64_t>(trial % 4 == 0 ? 2 : 0);
    const SignFlipTest want = enumerated(units, slack), got = sign_flip(units, {.slack = slack});
    ASSERT_TRUE(got.exact);
    ASSERT_EQ(got.statistic, want.statistic);
    ASSERT_NEAR(got.pvalue, want.pvalue, 1e-13);
    if (got.units != 0) ASSERT_NEAR(got.mid_pvalue, want.mid_pvalue, 1e-13);
  }
}

TEST(SignFlip, units_of_one_are_mcnemar) {
  for (const auto& [b, c] : {std::pair{0U, 5U}, {3U, 9U}, {40U, 71U}, {200U, 260U}, {7U, 7U}}) {
    Units units(50, 0);  // concordant items say nothing
    units.insert(units.end(), b, -1);
    units.insert(units.end(), c, 1);
    const SignFlipTest got = sign_flip(units);
    EXPECT_NEAR(got.pvalue, mcnemar(b, c).pvalue, 1e-12) << b << " " << c;
    EXPECT_NEAR(got.mid_pvalue, mcnemar(b, c, McNemarMethod::mid_p).pvalue, 1e-12);
    EXPECT_EQ(got.units, b + c);
  }
}

TEST(SignFlip, nothing_can_be_significant_with_five_units) {
  const SignFlipTest five = sign_flip(Units{9, 8, 0, 7, 6, 5});
  EXPECT_EQ(five.pvalue, 0.0625);
  EXPECT_EQ(five.least_pvalue, 0.0625);
  EXPECT_EQ(sign_flip(Units{9, 8, 4, 7, 6, 5}).pvalue, 0.03125);
  EXPECT_EQ(sign_flip(Units{0, 0}).pvalue, 1);
  EXPECT_EQ(sign_flip(Units{}).least_pvalue, 1);
}

TEST(SignFlip, random_flips_are_near_the_exact_ones) {
  Generator chance(2);
  for (int trial = 0; trial < 5; ++trial) {
    const Units units = random_units(chance, 30, 50);
    const SignFlipTest exact = sign_flip(units), drawn = sign_flip(units, {.most_sums = 4});
    EXPECT_FALSE(drawn.exact);
    EXPECT_EQ(drawn.draws, 99'999U);
    EXPECT_NEAR(drawn.pvalue, exact.pvalue, 0.01);  // six standard errors at p = 0.5
    EXPECT_NEAR(drawn.mid_pvalue, exact.mid_pvalue, 0.01);
  }
}

TEST(SignFlip, any_number_of_threads_gives_the_same) {
  Generator chance(3);
  const Units units = random_units(chance, 150, 1'000'000);
  const SignFlipTest one = sign_flip(units, {.most_sums = 4, .draws = 5000});
  for (const Executor& executor : {executors::backwards, executors::three_threads})
    EXPECT_EQ(sign_flip(units, {.most_sums = 4, .draws = 5000, .executor = executor}).pvalue,
              one.pvalue);
}

TEST(SignFlip, refuses_sums_that_overflow) {
  const std::int64_t large = std::int64_t{1} << 61;
  EXPECT_THROW(sign_flip(Units{large, -large}), Error);
  EXPECT_THROW(sign_flip(Units{INT64_MIN}), Error);
}

}  // namespace assay::stats::sign_flip_test
