// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/random.hpp"

namespace agreement_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;

double standard_normal(Generator& random) {
  return normal_quantile(std::min(std::max(random.uniform(), 1e-12), 1 - 1e-12));
}

/// The area by its definition, and its variance by the definition of DeLong's components.
double slow_area(const Values& scores, const std::vector<bool>& truth) {
  double won = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (truth[i] && !truth[j]) {
        pairs += 1;
        won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      }
  return won / pairs;
}

double slow_variance(const Values& a, const Values& b, const std::vector<bool>& truth) {
  const auto kernel = [](const Values& s, std::size_t i, std::size_t j) {
    return s[i] > s[j] ? 1.0 : s[i] == s[j] ? 0.5 : 0.0;
  };
  Values of_positives, of_negatives;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double sum = 0, count = 0;
    for (std::size_t j = 0; j < a.size(); ++j)
      if (truth[i] != truth[j]) {
        const std::size_t p = truth[i] ? i : j, n = truth[i] ? j : i;
        sum += kernel(a, p, n) - kernel(b, p, n);
        count += 1;
      }
    (truth[i] ? of_positives : of_negatives).push_back(sum / count);
  }
  return variance(of_positives, 1) / static_cast<double>(of_positives.size()) +
         variance(of_negatives, 1) / static_cast<double>(of_negatives.size());
}

TEST(BlandAltman, worked_by_hand) {
  const BlandAltman found = bland_altman(Values{2, 4, 6, 8}, Values{1, 4, 4, 7});
  EXPECT_EQ(found.n, 4U);
  EXPECT_DOUBLE_EQ(found.bias.estimate, 1);  // 1, 0, 2, 1
  EXPECT_DOUBLE_EQ(found.sd, std::sqrt(2.0 / 3));
  EXPECT_DOUBLE_EQ(found.lower.estimate, 1 - 1.96 * found.sd);
  EXPECT_DOUBLE_EQ(found.upper.estimate, 1 + 1.96 * found.sd);
}

TEST(BlandAltman, intervals_of_limits_are_mirror_images) {
  const Values x = {1, 2.5, 3, 4.75, 6, 7}, y = {1.5, 2, 3.25, 4, 6.5, 6};
  const BlandAltman a = bland_altman(x, y), b = bland_altman(y, x);
  EXPECT_NEAR(a.lower.lower, -b.upper.upper, 1e-12);
  EXPECT_NEAR(a.lower.upper, -b.upper.lower, 1e-12);
  EXPECT_LT(a.lower.lower, a.lower.estimate);
  EXPECT_GT(a.lower.upper, a.lower.estimate);
}

TEST(BlandAltman, intervals_of_limits_cover) {
  Generator random(1);
  int covered = 0;
  constexpr int trials = 1000;
  for (int trial = 0; trial < trials; ++trial) {
    Values x(12), zeros(12);
    for (double& value : x) value = 3 + 2 * standard_normal(random);
    const Interval upper = bland_altman(x, zeros).upper;
    const double truth = 3 + 1.96 * 2;
    covered += upper.lower <= truth && truth <= upper.upper;
  }
  EXPECT_NEAR(covered / static_cast<double>(trials), 0.95, 0.025);
}

TEST(BlandAltman, too_few_pairs_have_no_interval) {
  EXPECT_TRUE(std::isnan(bland_altman(Values{1}, Values{0}).upper.estimate));
  EXPECT_TRUE(std::isnan(bland_altman(Values{1, 2}, Values{0, 0}).upper.lower));
  EXPECT_THROW(bland_altman(Values{}, Values{}), Error);
  EXPECT_THROW(bland_altman(Values{1, std::nan("")}, Values{0, 0}), Error);
}

TEST(Icc, of_shrout_and_fleiss) {
  // Shrout and Fleiss 1979, table 2: six cases, four judges; ICC(2,1) = .29, ICC(3,1) = .71.
  const std::vector<Values> judges = {
      {9, 6, 8, 7, 10, 6}, {2, 1, 4, 1, 5, 2}, {5, 3, 6, 2, 6, 4}, {8, 2, 8, 6, 9, 7}};
  const Icc found = intraclass_correlation(judges);
  EXPECT_NEAR(found.agreement.estimate, 0.2898, 5e-5);
  EXPECT_NEAR(found.agreement.lower, 0.0188, 5e-4);
  EXPECT_NEAR(found.agreement.upper, 0.7611, 5e-4);
  EXPECT_NEAR(found.consistency.estimate, 0.7148, 5e-5);
  EXPECT_NEAR(found.consistency.lower, 0.3425, 5e-4);
  EXPECT_NEAR(found.consistency.upper, 0.9459, 5e-4);
}

TEST(Icc, a_constant_offset_lowers_agreement_only) {
  const Values x = {1, 2, 3, 4, 5};
  const Icc same = intraclass_correlation(std::vector{x, x});
  EXPECT_EQ(same.agreement.estimate, 1);
  const Icc shifted = intraclass_correlation(std::vector{x, Values{2, 3, 4, 5, 6}});
  EXPECT_EQ(shifted.consistency.estimate, 1);
  EXPECT_LT(shifted.agreement.estimate, 0.9);
  EXPECT_THROW(intraclass_correlation(std::vector<Values>{x}), Error);
  EXPECT_THROW(intraclass_correlation(std::vector{x, Values{1, 2}}), Error);
}

TEST(DeLong, equals_its_definition) {
  Generator random(5);
  for (int trial = 0; trial < 50; ++trial) {
    Values a, b;
    std::vector<bool> truth;
    for (int i = 0; i < 24; ++i) {
      truth.push_back(i % 3 == 0);
      const double shared = std::floor(random.uniform() * 6) + (truth.back() ? 1 : 0);
      a.push_back(shared + std::floor(random.uniform() * 3));
      b.push_back(shared + random.uniform() * 4);
    }
    const DeLong found = delong(a, b, truth);
    EXPECT_NEAR(found.first.estimate, slow_area(a, truth), 1e-14);
    EXPECT_NEAR(found.second.estimate, slow_area(b, truth), 1e-14);
    const double z =
        (slow_area(a, truth) - slow_area(b, truth)) / std::sqrt(slow_variance(a, b, truth));
    EXPECT_NEAR(found.z, z, 1e-10);
    EXPECT_NEAR(found.pvalue, 2 * normal_sf(std::fabs(z)), 1e-10);
  }
}

TEST(DeLong, a_classifier_against_itself) {
  const Values scores = {1, 2, 3, 4, 2.5, 3.5};
  const std::vector<bool> truth = {false, false, false, true, true, true};
  const DeLong found = delong(scores, scores, truth);
  EXPECT_EQ(found.pvalue, 1);
  EXPECT_EQ(found.difference.estimate, 0);
  EXPECT_THROW(delong(scores, scores, {true, true, true, true, true, false}), Error);
  EXPECT_THROW(delong(scores, Values{1}, truth), Error);
}

TEST(DeLong, without_variance_nothing_is_certain) {
  const Values scores = {1, 2, 3, 4, 5, 6}, turned = {6, 5, 4, 3, 2, 1};
  const std::vector<bool> truth = {false, false, false, true, true, true};
  const DeLong found = delong(scores, turned, truth);
  EXPECT_EQ(found.first.estimate, 1);
  EXPECT_FALSE(found.first.has_limits());
  EXPECT_EQ(found.difference.estimate, 1);
  EXPECT_FALSE(found.difference.has_limits());
  EXPECT_TRUE(std::isnan(found.pvalue));
}

TEST(DeLong, one_area_is_the_first_of_two) {
  const Values a = {1, 2, 3, 4, 2.5, 3.5, 0.5, 2}, b = {3, 1, 2, 5, 4, 1, 2, 3};
  const std::vector<bool> truth = {false, true, false, true, true, true, false, false};
  const Interval one = roc_area(a, truth, 0.9), of_two = delong(a, b, truth, 0.9).first;
  EXPECT_EQ(one.estimate, of_two.estimate);
  EXPECT_EQ(one.lower, of_two.lower);
  EXPECT_EQ(one.upper, of_two.upper);
  EXPECT_THROW(roc_area(a, {true, false}), Error);
}

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

}  // namespace agreement_test
