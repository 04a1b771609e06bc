// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/random.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace paired_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;
const Values zeros(4, 0.0);

TEST(PairedT, worked_by_hand) {
  // d = 1, 2, 3, 6: mean 3, sd sqrt(14/3), t = 3 / sqrt(14/12)
  const TTest found = paired_t(Values{1, 2, 3, 6}, zeros);
  EXPECT_DOUBLE_EQ(found.t, 3 / std::sqrt(14.0 / 12));
  EXPECT_EQ(found.df, 3);
  const Interval interval = mean_interval(Values{1, 2, 3, 6});
  EXPECT_NEAR((interval.upper - 3) / std::sqrt(14.0 / 12), 3.182446305284263, 1e-12);
  EXPECT_TRUE(std::isnan(paired_t(Values{1}, Values{2}).pvalue));
}

TEST(Tost, agrees_with_its_interval) {
  const Values d = {0.1, -0.2, 0.05, 0.15};
  const Interval ninety = mean_interval(d, 0.9);
  const double reach = std::max(std::fabs(ninety.lower), std::fabs(ninety.upper));
  EXPECT_NEAR(tost_paired(d, zeros, reach).pvalue, 0.05, 1e-12);
  EXPECT_LT(tost_paired(d, zeros, 1.1 * reach).pvalue, 0.05);
  EXPECT_EQ(noninferiority(d, zeros, reach).pvalue, tost_paired(d, zeros, reach).lower.pvalue);
  EXPECT_THROW(tost_paired(d, zeros, 0), Error);
  EXPECT_THROW(noninferiority(d, zeros, NAN), Error);
}

TEST(Verdict, reads_the_interval) {
  struct Case {
    double lower, upper;
    std::optional<double> margin;
    Verdict wanted;
  };
  const Case cases[] = {
      {0.01, 0.05, {}, Verdict::different},       {-0.05, -0.01, {}, Verdict::different},
      {-0.01, 0.01, {}, Verdict::inconclusive},   {-0.01, 0.01, 0.02, Verdict::equivalent},
      {0.001, 0.01, 0.02, Verdict::equivalent},   {0.001, 0.05, 0.02, Verdict::different},
      {-0.01, 0.05, 0.02, Verdict::non_inferior}, {-0.03, 0.05, 0.02, Verdict::inconclusive},
      {-0.05, -0.001, 0.02, Verdict::different},  {-0.02, 0.01, 0.02, Verdict::inconclusive},
  };
  for (const auto& [lower, upper, margin, wanted] : cases)
    EXPECT_EQ(verdict({0, lower, upper}, margin), wanted) << lower << " to " << upper;
  EXPECT_EQ(name(Verdict::non_inferior), "non-inferior");
}

TEST(Power, sample_size_inverts_power) {
  for (const double effect : {0.2, 0.5, 1.5})
    EXPECT_NEAR(t_power(effect, pairs_for_power(effect)), 0.8, 1e-9);
  EXPECT_NEAR(t_power(0, 20), 0.05, 1e-12);
  EXPECT_THROW(pairs_for_power(0), Error);
}

TEST(PairedT, vectors) {
  const auto cases = vectors::cases("paired_t");
  for (const auto& item : cases) {
    const Values a = vectors::numbers(item.at("a")), b = vectors::numbers(item.at("b"));
    Values d(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
    const auto& want = *vectors::expected(item, "scipy-1.15.3");
    const double rtol = item.at("rtol");
    vectors::expect_near(paired_t(a, b).t, want.at("t"), rtol, "t");
    vectors::expect_near(paired_t(a, b).pvalue, want.at("p"), rtol, "p");
    vectors::expect_near(cohens_dz(d), want.at("cohen_dz"), rtol, "dz");
    vectors::expect_near(mean_interval(d).lower, want.at("ci95")[0], rtol, "lower");
    vectors::expect_near(mean_interval(d).upper, want.at("ci95")[1], rtol, "upper");
  }
}

TEST(Tost, vectors) {
  const auto cases = vectors::cases("tost_paired");
  for (const auto& item : cases) {
    const Tost found = tost_paired(vectors::numbers(item.at("a")), vectors::numbers(item.at("b")),
                                   item.at("margin"));
    const auto& want = *vectors::expected(item, "scipy-1.15.3");
    const double rtol = item.at("rtol");
    const std::string where = item.at("id");
    vectors::expect_near(found.pvalue, want.at("p"), rtol, where);
    vectors::expect_near(found.lower.t, want.at("lower")[0], rtol, where);
    vectors::expect_near(found.lower.pvalue, want.at("lower")[1], rtol, where);
    vectors::expect_near(found.upper.t, want.at("upper")[0], rtol, where);
    vectors::expect_near(found.upper.pvalue, want.at("upper")[1], rtol, where);
  }
}

TEST(Power, vectors) {
  const auto cases = vectors::cases("t_power");
  for (const auto& item : cases) {
    const auto& want = *vectors::expected(item, "scipy-1.17.1");
    vectors::expect_near(t_power(item.at("effect_size"), item.at("nobs"), item.at("alpha")),
                         want.at("power"), item.at("rtol"), item.at("id"));
  }
  for (const auto& item : vectors::cases("t_power_n")) {
    const auto& want = *vectors::expected(item, "scipy-1.17.1");
    vectors::expect_near(
        pairs_for_power(item.at("effect_size"), item.at("power"), item.at("alpha")), want.at("n"),
        item.at("rtol"), item.at("id"));
  }
}

TEST(ResampledT, worked_by_hand) {
  // Differences 1, 2, 3 with half as many test as training cases: error = sqrt(1/3 + 1/2).
  const ResampledT found = resampled_t(std::vector<double>{1, 2, 3}, 0.5);
  EXPECT_DOUBLE_EQ(found.test.t, 2 / std::sqrt(5.0 / 6));
  EXPECT_EQ(found.test.df, 2);
  EXPECT_DOUBLE_EQ(found.difference.estimate, 2);
  const double quantile = 0.95 * std::sqrt(2 / (4 * 0.975 * 0.025));  // two degrees of freedom
  EXPECT_NEAR(found.difference.upper - 2, quantile * std::sqrt(5.0 / 6), 1e-12);
}

TEST(ResampledT, without_overlap_it_is_the_t_test) {
  const std::vector<double> x = {0.3, -0.1, 0.7, 0.2, 0.4}, nothing(5);
  EXPECT_NEAR(resampled_t(x, 0).test.pvalue, paired_t(x, nothing).pvalue, 1e-14);
  EXPECT_GT(resampled_t(x, 0.25).test.pvalue, paired_t(x, nothing).pvalue);
  EXPECT_THROW(resampled_t(x, -1), Error);
}

MarginTest tested(const Values& differences, double margin, bool lower_is_better = false) {
  return margin_test(differences, mean_error(differences), {margin, 0.05, lower_is_better});
}

/// About normal: the sum of twelve uniform numbers.
double bell(Generator& generator) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += generator.uniform();
  return sum;
}

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

}  // namespace paired_test
