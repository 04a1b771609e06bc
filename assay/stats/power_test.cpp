// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/power.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/random.hpp"

namespace power_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;

/// Normal scores with mean 0 and SD 1: a pilot of exactly that shape.
Values normal_scores(std::size_t n) {
  Values out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(n)));
  const double sd = standard_deviation(out, 1);
  for (double& x : out) x /= sd;
  return out;
}

Values shifted(Values values, double by) {
  for (double& x : values) x += by;
  return values;
}

double standard_normal(Generator& random) {
  return normal_quantile(std::min(std::max(random.uniform(), 1e-12), 1 - 1e-12));
}

TEST(PairsForDifference, as_gpower_and_r_have_them) {
  // G*Power 3.1, means: difference between two dependent means, two-sided; R: power.t.test(paired).
  EXPECT_EQ(pairs_for_difference(0.5, 1, {0.8, 0.05}), 34U);   // 33.37
  EXPECT_EQ(pairs_for_difference(0.2, 1, {0.8, 0.05}), 199U);  // 198.15
  EXPECT_EQ(pairs_for_difference(0.8, 1, {0.8, 0.05}), 15U);   // 14.30
  EXPECT_EQ(pairs_for_difference(0.5, 1, {0.9, 0.05}), 44U);   // 43.99
  EXPECT_EQ(pairs_for_difference(-0.05, 0.1, {0.8, 0.05}), 34U);
}

TEST(PairsForDifference, at_its_ends) {
  EXPECT_EQ(pairs_for_difference(5, 1, {0.8, 0.05}), least_pairs);
  EXPECT_EQ(pairs_for_difference(1e9, 1, {0.8, 0.05}), least_pairs);
  EXPECT_FALSE(pairs_for_difference(0, 1, {0.8, 0.05}));
  EXPECT_FALSE(pairs_for_difference(1e-6, 1, {0.8, 0.05}));
  EXPECT_GT(pairs_for_difference(0.001, 1, {0.8, 0.05}), 7000000U);
  EXPECT_THROW(pairs_for_difference(1, 1, {1.0, 0.05}), Error);
  EXPECT_THROW(pairs_for_difference(1, 1, {0.01, 0.05}), Error);
}

TEST(TostPower, as_powertost_has_it) {
  // PowerTOST: sampleN.TOST(CV, theta0 = 0.95, design "2x2"), n = 20, 28, 40: se = sqrt(2 / n) *
  // sqrt(log(CV^2 + 1)), n - 2 degrees of freedom, margins log 0.8 and log 1.25.
  const struct {
    double cv, n, power;
  } published[] = {{0.2, 20, 0.834680}, {0.25, 28, 0.807439}, {0.3, 40, 0.815845}};
  for (const auto& [cv, n, power] : published) {
    const double error = std::sqrt(2 / n) * std::sqrt(std::log(cv * cv + 1));
    const double difference = std::log(0.95), margin = std::log(1.25);
    EXPECT_NEAR(tost_power((margin + difference) / error, (margin - difference) / error, n - 2),
                power, 5e-7);
  }
}

TEST(TostPower, equals_a_simulation_of_the_test) {
  Generator random(7);
  constexpr int studies = 4000;
  const struct {
    std::size_t n;
    double margin, difference;
  } plans[] = {{6, 1.5, 0}, {20, 0.6, 0.1}, {50, 0.5, -0.2}};
  for (const auto& [n, margin, difference] : plans) {
    int met = 0;
    for (int study = 0; study < studies; ++study) {
      Values x(n), zeros(n);
      for (double& value : x) value = difference + standard_normal(random);
      met += tost_paired(x, zeros, margin).pvalue <= 0.05;
    }
    const double in_errors = std::sqrt(static_cast<double>(n));
    const double power = tost_power((margin + difference) * in_errors,
                                    (margin - difference) * in_errors, double(n) - 1);
    EXPECT_NEAR(met / double(studies), power, 0.035) << n;  // more than four standard errors
  }
}

TEST(TostPower, has_limits) {
  EXPECT_EQ(tost_power(0, 0, 10), 0);
  EXPECT_EQ(tost_power(-1, 1, 10), 0);
  EXPECT_NEAR(tost_power(60, 60, 10), 1, 1e-12);
  // With one margin far away it is a one-sided test: half alpha's two-sided power, by noncentral t.
  for (const double df : {1.0, 2.0, 5.0, 30.0, 1000.0})
    EXPECT_NEAR(tost_power(1e4, 2.5, df), noncentral_t_sf(student_t_quantile(0.95, df), df, 2.5),
                1e-8)
        << df;
}

TEST(PairsForEquivalence, is_the_least_number_that_suffices) {
  for (const double difference : {0.0, 0.1, -0.1}) {
    const Equivalence of = {.margin = 0.3, .difference = difference, .sd = 0.8};
    const std::size_t n = pairs_for_equivalence(of, {0.8, 0.05}).value();
    const auto power = [&](std::size_t pairs) {
      const double scale = std::sqrt(static_cast<double>(pairs)) / of.sd;
      return tost_power((of.margin + difference) * scale, (of.margin - difference) * scale,
                        static_cast<double>(pairs - 1));
    };
    EXPECT_GE(power(n), 0.8);
    EXPECT_LT(power(n - 1), 0.8);
  }
  EXPECT_FALSE(pairs_for_equivalence({.margin = 0.1, .difference = 0.1, .sd = 1}, {0.8, 0.05}));
  EXPECT_EQ(pairs_for_equivalence({.margin = 100, .difference = 0, .sd = 1}, {0.8, 0.05}),
            least_pairs);
}

TEST(SdInterval, by_the_chi_squared_distribution) {
  // chi2 quantiles of 9 degrees of freedom: 2.7004 and 19.0228; 20 %: 5.3801.
  const Interval found = sd_interval(2, 10);
  EXPECT_NEAR(found.lower, 2 * std::sqrt(9 / 19.02277), 1e-5);
  EXPECT_NEAR(found.upper, 2 * std::sqrt(9 / 2.700389), 1e-5);
  EXPECT_NEAR(cautious_sd(2, 10), 2 * std::sqrt(9 / 5.380053), 1e-5);
}

TEST(SignedRankPairs, normal_differences_need_about_a_twentieth_more) {
  // The asymptotic relative efficiency to the t test is 3 / pi = 0.955: 36 instead of 34 pairs.
  const Values pilot = shifted(normal_scores(200), 0.5);
  const auto found = signed_rank_pairs({.differences = pilot}, 0.8, 34);
  ASSERT_TRUE(found);
  EXPECT_GE(*found, 31U);
  EXPECT_LE(*found, 41U);
}

TEST(SignedRankPairs, heavy_tails_need_fewer) {
  Values pilot;
  for (int i = 0; i < 200; ++i) {
    const double p = (i + 0.5) / 200;
    pilot.push_back((p < 0.5 ? std::log(2 * p) : -std::log(2 - 2 * p)) / std::sqrt(2.0));
  }
  const auto found = signed_rank_pairs({.differences = shifted(pilot, 0.5)}, 0.8, 34);
  ASSERT_TRUE(found);  // Laplace: efficiency 1.5, 23 pairs
  EXPECT_LT(*found, 31U);
}

TEST(SignedRankPairs, a_mean_of_rare_failures_is_not_found) {
  Values pilot(40, 0.01);
  pilot[3] = pilot[17] = -0.9;  // the mean is below 0, and the test sees the others
  for (std::size_t i = 0; i < pilot.size(); ++i) pilot[i] += 1e-4 * static_cast<double>(i);
  ASSERT_LT(mean(pilot), 0);
  EXPECT_FALSE(signed_rank_pairs({.differences = pilot, .studies = 200}, 0.8, 100));
}

TEST(ShiftedShape, keeps_the_spread_and_is_symmetrical) {
  const Values pilot = {0.3, 0.1, 0.2, 0.9, 0.15, 0.4, 0.35, 2.5, 0.05, 0.25, 0.6};
  Values shape = shifted_shape(pilot, -0.2);
  EXPECT_NEAR(mean(shape), -0.2, 1e-12);
  EXPECT_NEAR(median(shape), -0.2, 1e-12);
  EXPECT_NEAR(standard_deviation(shape, 0), standard_deviation(pilot, 1), 1e-12);
}

TEST(SignedRankPairs, a_small_difference_is_not_easier_by_shape) {
  // Normal differences: 3 / pi of the t test's efficiency, however small the difference.
  for (const std::size_t pilot : {12U, 40U}) {
    const Values shape = shifted_shape(normal_scores(pilot), 0.05);
    const auto found = signed_rank_pairs({.differences = shape, .studies = 400}, 0.8, 3142);
    ASSERT_TRUE(found);
    EXPECT_GT(*found, 2800U);
    EXPECT_LT(*found, 3900U);
  }
}

TEST(SignedRankPower, grows_with_n_and_does_not_depend_on_the_executor) {
  const Values pilot = shifted(normal_scores(30), -0.4);
  const SimulatedStudies one = {.differences = pilot, .studies = 300};
  EXPECT_LT(signed_rank_power(one, 10), signed_rank_power(one, 60));
  SimulatedStudies backwards = one;
  backwards.executor = [](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    while (tasks-- > 0) task(tasks);
  };
  EXPECT_EQ(signed_rank_power(one, 20), signed_rank_power(backwards, 20));
  EXPECT_EQ(signed_rank_power(one, 5), 0);  // five pairs cannot give p <= 0.05
}

}  // namespace power_test
