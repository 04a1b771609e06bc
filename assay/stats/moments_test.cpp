// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "assay/error.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace moments_test {

using namespace assay;
using namespace assay::stats;

constexpr double inf = std::numeric_limits<double>::infinity();
const std::vector<double> one_to_four = {1, 2, 3, 4};

/// 1, -1/2, 1/3, ...: no two orders of addition agree in the last bit for long.
std::vector<double> harmonic(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = (i % 2 ? -1.0 : 1.0) / static_cast<double>(i + 1);
  return values;
}

TEST(Moments, worked_by_hand) {
  EXPECT_EQ(pairwise_sum(one_to_four), 10);
  EXPECT_EQ(mean(one_to_four), 2.5);
  EXPECT_EQ(variance(one_to_four, 0), 1.25);
  EXPECT_EQ(variance(one_to_four, 1), 5.0 / 3);
  EXPECT_EQ(standard_deviation(one_to_four, 0), std::sqrt(1.25));
  EXPECT_EQ(median(one_to_four), 2.5);
  EXPECT_EQ(median(std::vector<double>{9, 1, 5}), 5);
}

TEST(Moments, without_enough_values_there_is_no_number) {
  const std::vector<double> none, one = {3};
  EXPECT_EQ(pairwise_sum(none), 0);
  EXPECT_TRUE(std::isnan(mean(none)));
  EXPECT_TRUE(std::isnan(median(none)));
  EXPECT_TRUE(std::isnan(percentile(none, 50)));
  EXPECT_TRUE(std::isnan(variance(one, 1)));
  EXPECT_EQ(variance(one, 0), 0);
}

TEST(Moments, sum_is_numpys_to_the_bit) {
  // np.sum of the alternating harmonic numbers, NumPy 1.24
  EXPECT_EQ(pairwise_sum(harmonic(7)), 0x1.84e04e04e04e0p-1);
  EXPECT_EQ(pairwise_sum(harmonic(8)), 0x1.44e04e04e04e0p-1);
  EXPECT_EQ(pairwise_sum(harmonic(131)), 0x1.64d68d7bbc496p-1);
  EXPECT_EQ(pairwise_sum(harmonic(1000)), 0x1.62a2af1bd3625p-1);
}

TEST(Percentile, interpolates_linearly) {
  EXPECT_EQ(percentile(one_to_four, 0), 1);
  EXPECT_EQ(percentile(one_to_four, 25), 1.75);
  EXPECT_EQ(percentile(one_to_four, 50), 2.5);
  EXPECT_EQ(percentile(one_to_four, 100), 4);
  EXPECT_EQ(percentile(std::vector<double>{4, 1, 3, 2}, 75), 3.25);
  EXPECT_EQ(percentile_of_sorted(one_to_four, 75), 3.25);
}

TEST(Percentile, not_a_number_stays_visible) {
  EXPECT_TRUE(std::isnan(percentile(std::vector<double>{1, NAN, 2}, 50)));
  EXPECT_TRUE(std::isnan(percentile(std::vector<double>{1, inf}, 100)));    // as NumPy
  EXPECT_TRUE(std::isnan(percentile(std::vector<double>{1, 2, inf}, 50)));  // 2 + inf * 0, as NumPy
  EXPECT_EQ(percentile(std::vector<double>{1, 2, inf}, 25), 1.5);
}

TEST(Percentile, out_of_range_is_refused) {
  EXPECT_THROW(percentile(one_to_four, -1), Error);
  EXPECT_THROW(percentile(one_to_four, 100.5), Error);
  EXPECT_THROW(percentile(one_to_four, NAN), Error);
}

TEST(Moments, vectors) {
  const auto cases = vectors::cases("moments");
  for (const auto& item : cases) {
    const auto values = vectors::data(item, "a");
    const auto& want = *vectors::expected(item, "scipy-1.10.1");
    const std::string where = item.at("id");
    const double sem =
        standard_deviation(values, 1) / std::sqrt(static_cast<double>(values.size()));
    vectors::expect_near(pairwise_sum(values), vectors::number(want.at("sum")), 0, where);
    vectors::expect_near(mean(values), vectors::number(want.at("mean")), 0, where);
    vectors::expect_near(variance(values, 1), vectors::number(want.at("var1")), 0, where);
    vectors::expect_near(standard_deviation(values, 0), vectors::number(want.at("std0")), 0, where);
    vectors::expect_near(standard_deviation(values, 1), vectors::number(want.at("std1")), 0, where);
    vectors::expect_near(sem, vectors::number(want.at("sem")), 0, where);
  }
}

TEST(Moments, skewness_by_hand) {
  // 1, 1, 4: deviations -1, -1, 2; third moment 2, variance 2; g1 = 1 / sqrt(2), times sqrt(6).
  EXPECT_NEAR(skewness(std::vector<double>{1, 1, 4}), std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(skewness(std::vector<double>{-4, -1, -1}), -std::sqrt(3.0), 1e-12);
  EXPECT_EQ(skewness(std::vector<double>{1, 2}), 0);
  EXPECT_EQ(skewness(std::vector<double>(5, 2.0)), 0);
}

TEST(Percentile, vectors) {
  const auto cases = vectors::cases("percentile");
  for (const auto& item : cases) {
    const auto values = vectors::data(item, "a");
    const auto wanted = vectors::numbers(vectors::expected(item, "scipy-1.10.1")->at("v"));
    const auto q = vectors::numbers(item.at("q"));
    for (std::size_t i = 0; i < q.size(); ++i)
      vectors::expect_near(percentile(values, q[i]), wanted[i], 0, item.at("id"));
  }
  for (const auto& item : vectors::reference("percentile_linear"))
    vectors::expect_near(percentile(vectors::numbers(item.at("x")), item.at("q")),
                         vectors::number(item.at("value")), 0, item.dump());
}

}  // namespace moments_test
