// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/one_mean.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/executors_for_test.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats::one_mean_test {

using Values = std::vector<double>;

const Values skewed = {0.91, 0.88, 0.93, 0.12, 0.79, 0.95, 0.86, 0.90, 0.55, 0.87, 0.92, 0.83};

TEST(MeanTest, students_is_scipys) {
  // scipy.stats.ttest_1samp(skewed, 0.876), t.interval(0.95, 11, mean, sem)
  const MeanTest test = student_test(skewed);
  EXPECT_NEAR(test.p_value(0.876), 0.24714256550438846, 1e-12);
  EXPECT_NEAR(test.interval(0.95).lower, 0.6421410384977262, 1e-12);
  EXPECT_NEAR(test.interval(0.95).upper, 0.9428589615022738, 1e-12);
  EXPECT_NEAR(test.interval(0.9).upper, mean_interval(skewed, 0.9).upper, 1e-15);
  EXPECT_NEAR(test.p_above(0.5) + test.p_below(0.5), 1, 1e-15);
}

TEST(MeanTest, welchs_is_scipys) {
  // scipy.stats.ttest_ind_from_stats(mean, std, 12, 0.876, 0.05, 30, equal_var=False)
  Values differences = skewed;
  for (double& d : differences) d -= 0.876;
  const MeanTest test = welch_test(differences, 0.05, 30);
  EXPECT_NEAR(test.p_value(), 0.2502211568348058, 1e-12);
  EXPECT_EQ(test.mean, student_test(differences).mean);
  EXPECT_GT(test.error, student_test(differences).error);
}

/// The same from the definition, one index after the other.
Values slow_ratios(const Values& values, std::size_t replicates) {
  const auto n = static_cast<double>(values.size());
  const auto moments = [&](const Values& x) {
    double sum = 0, squares = 0;
    for (const double v : x) sum += v;
    for (const double v : x) squares += (v - sum / n) * (v - sum / n);
    return std::pair{sum / n, std::sqrt(squares / (n - 1) / n)};
  };
  Generator chance(42);
  const double centre = moments(values).first;
  Values out;
  for (std::size_t b = 0; b < replicates; ++b) {
    Values resample;
    for (std::size_t i = 0; i < values.size(); ++i)
      resample.push_back(values[chance.below(values.size())]);
    const auto found = moments(resample);
    out.push_back((found.first - centre) / found.second);
  }
  std::ranges::sort(out);
  return out;
}

TEST(MeanTest, bootstrap_t_equals_its_definition) {
  const MeanTest test = bootstrap_t_test(skewed, {.replicates = 1999});
  const Values want = slow_ratios(skewed, 1999);
  ASSERT_EQ(test.ratios_ascending.size(), 1999U);
  for (std::size_t b = 0; b < want.size(); ++b)
    EXPECT_NEAR(test.ratios_ascending[b], want[b], 1e-9 * (1 + std::fabs(want[b])));
  const Interval ci = test.interval(0.95);
  EXPECT_NEAR(ci.lower, test.mean - want[1999 - 50] * test.error, 1e-9);
  EXPECT_NEAR(ci.upper, test.mean - want[49] * test.error, 1e-9);
  for (const Executor& executor : {executors::backwards, executors::three_threads})
    EXPECT_EQ(bootstrap_t_test(skewed, {.replicates = 1999, .executor = executor}).ratios_ascending,
              test.ratios_ascending);
}

TEST(MeanTest, interval_and_test_agree) {
  const MeanTest tests[] = {student_test(skewed), bootstrap_t_test(skewed, {.replicates = 999}),
                            welch_test(skewed, 0.1, 8)};
  for (const MeanTest& test : tests)
    for (const double alpha : {0.01, 0.05, 0.1}) {
      const Interval ci = test.interval(1 - alpha), narrow = test.interval(1 - 2 * alpha);
      for (double value = 0.3; value < 1.3; value += 0.0037) {
        const bool inside = ci.lower <= value && value <= ci.upper;
        EXPECT_EQ(inside, test.p_value(value) > alpha + 1e-12) << name(test.method) << value;
        EXPECT_EQ(narrow.lower > value, test.p_above(value) <= alpha + 1e-12);
        EXPECT_EQ(narrow.upper < value, test.p_below(value) <= alpha + 1e-12);
      }
    }
}

TEST(MeanTest, refuses_values_without_spread) {
  EXPECT_THROW(student_test(Values{1}), Error);
  EXPECT_THROW(bootstrap_t_test(Values(20, 0.1)), Error);
  EXPECT_THROW(welch_test(skewed, 0.1, 1), Error);
  // Nearly all equal: resamples without spread leave one side open.
  Values nearly(20, 1.0);
  nearly[0] = 0;
  EXPECT_TRUE(std::isinf(bootstrap_t_test(nearly).interval(0.95).lower));
}

/// How often the interval of 95 % holds the mean of the values that samples are drawn from.
double coverage(const Values& population, std::size_t size, bool resampled) {
  double centre = 0;
  for (const double x : population) centre += x / static_cast<double>(population.size());
  Generator chance(7);
  constexpr std::size_t samples = 2000;
  std::size_t covered = 0;
  for (std::size_t s = 0; s < samples; ++s) {
    Values sample;
    for (std::size_t i = 0; i < size; ++i)
      sample.push_back(population[chance.below(population.size())]);
    const MeanTest test =
        resampled ? bootstrap_t_test(sample, {.replicates = 399, .seed = s}) : student_test(sample);
    if (test.p_value(centre) > 0.05) ++covered;
  }
  return static_cast<double>(covered) / samples;
}

TEST(MeanTest, simulated_coverage) {
  Values beta, failing;  // quantiles of Beta(4, 1); of Beta(12, 2) with one case in 15 near 0
  for (double p = 0.0005; p < 1; p += 0.001) {
    beta.push_back(beta_quantile(p, 4, 1));
    failing.push_back(p < 1.0 / 15 ? 0.05 * p : beta_quantile(p, 12, 2));
  }
  // 2000 samples: a standard error of 0.005. Bounds are four of these or more from the true rates.
  EXPECT_NEAR(coverage(beta, 20, true), 0.95, 0.025);
  EXPECT_NEAR(coverage(failing, 60, true), 0.945, 0.03);
  EXPECT_LT(coverage(failing, 60, false), 0.935);  // Student's t: about 0.91
  EXPECT_LT(coverage(failing, 20, false), 0.89);
}

}  // namespace assay::stats::one_mean_test
