// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/random.hpp"

using namespace assay;
using namespace assay::stats;

namespace {

using Values = std::vector<double>;

MarginTest tested(const Values& differences, double margin, bool lower_is_better = false) {
  return margin_test(differences, mean_error(differences), {margin, 0.05, lower_is_better});
}

/// About normal: the sum of twelve uniform numbers.
double bell(Generator& generator) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += generator.uniform();
  return sum;
}

}  // namespace

TEST(Margin, by_hand) {
  // Eight differences of 0.01 within +-0.02: the mean has no error, and each rank test has 1 of
  // 2^8.
  const MarginTest found = tested(Values(8, 0.01), 0.02);
  EXPECT_EQ(found.equivalence_pvalue, 1.0 / 256);
  EXPECT_EQ(found.non_inferiority_pvalue, 1.0 / 256);
  EXPECT_NEAR(found.level, 0.9, 1e-15);
  EXPECT_EQ(found.pseudo_median.estimate, 0.01);
}

TEST(Margin, the_larger_p_value_of_mean_and_ranks_counts) {
  Values differences;
  for (int i = 0; i < 27; ++i) differences.push_back(0.001 * (i % 5 - 2));
  const MarginTest without = tested(differences, 0.02);
  EXPECT_LT(without.equivalence_pvalue, 1e-6);
  // Three failures of thirty move the mean, and hardly the pseudo-median.
  differences.insert(differences.end(), 3, -0.87);
  const MarginTest with = tested(differences, 0.02);
  EXPECT_GT(with.equivalence_pvalue, 0.5);
  EXPECT_GT(with.pseudo_median.lower, -0.02);
  EXPECT_LT(with.mean.lower, -0.02);
  EXPECT_GT(with.non_inferiority_pvalue, 0.5);
}

TEST(Margin, the_harmful_side_turns) {
  const Values differences = {0.03, 0.04, 0.05, 0.06, 0.07, 0.03, 0.045, 0.055};
  EXPECT_LT(tested(differences, 0.01).non_inferiority_pvalue, 0.01);
  EXPECT_GT(tested(differences, 0.01, true).non_inferiority_pvalue, 0.99);
  EXPECT_GT(tested(differences, 0.01).equivalence_pvalue, 0.99);
}

TEST(Margin, a_difference_at_the_margin_speaks_against_it) {
  EXPECT_EQ(tested(Values(10, 0.02), 0.02).equivalence_pvalue, 1);
  Values half(10, 0.02);
  for (int i = 0; i < 10; ++i) half.push_back(0);
  EXPECT_GT(tested(half, 0.02).equivalence_pvalue,
            tested(Values(10, 0.0), 0.02).equivalence_pvalue);
  EXPECT_THROW(tested(half, 0), Error);
}

TEST(Margin, false_equivalence_at_the_margin_keeps_its_level) {
  Generator generator(SeedSequence(std::vector<std::uint32_t>{5}));
  constexpr int times = 3000;
  int claims = 0;
  for (int k = 0; k < times; ++k) {
    Values differences;
    for (int i = 0; i < 25; ++i) differences.push_back(0.02 + 0.015 * bell(generator));
    claims += tested(differences, 0.02).equivalence_pvalue <= 0.05 ? 1 : 0;
  }
  EXPECT_GT(claims, times * 0.015);  // the margin for unseen skewness costs some
  EXPECT_LT(claims, times * 0.06);
}

TEST(Margin, skewed_losses_do_not_pass_as_small) {
  // The mean is at the margin; most differences are well within it, and a few are far beyond.
  Generator generator(SeedSequence(std::vector<std::uint32_t>{6}));
  constexpr int times = 3000;
  int claims = 0, by_t = 0;
  for (int k = 0; k < times; ++k) {
    Values differences;
    for (int i = 0; i < 40; ++i)
      differences.push_back(-0.02 - 0.02 * (-std::log(1 - generator.uniform()) - 1));
    claims += tested(differences, 0.02).equivalence_pvalue <= 0.05 ? 1 : 0;
    by_t += mean_error(differences).above(-0.02).pvalue <= 0.05 ? 1 : 0;
  }
  EXPECT_LT(claims, times * 0.065);
  EXPECT_GT(by_t, times * 0.075);
}

TEST(Margin, rare_failures_are_easily_missed) {
  EXPECT_NEAR(share_never_seen(60), 0.0487, 1e-4);  // about 3 / n
  EXPECT_NEAR(share_never_seen(6), 0.393, 1e-3);
}
