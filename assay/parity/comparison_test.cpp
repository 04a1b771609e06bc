// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "assay/error.hpp"
#include "assay/parity.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace assay::parity::comparison_test {

using vectors::Json;

const PaperComparisonOptions as_specified = {.compat_spec = true};
const PaperMean meshnet = {0.876, 0.016};

void expect_specified(const Json& input, const Json& wanted) {
  const auto values = vectors::numbers(input.at("our_results"));
  const PaperMean paper = {input.at("paper_mean").get<double>(),
                           input.at("paper_std").get<double>()};
  const PaperComparison c = compared_with_paper(values, paper, as_specified);
  const std::string where = input.dump().substr(0, 60);
  EXPECT_EQ(c.our_mean, wanted.at("our_mean").get<double>()) << where;
  EXPECT_EQ(c.our_std, wanted.at("our_std").get<double>()) << where;
  EXPECT_EQ(*c.wilcoxon_statistic, wanted.at("wilcoxon_statistic").get<double>()) << where;
  vectors::expect_near(*c.p_value, wanted.at("p_value").get<double>(), 1e-12, where);
  EXPECT_EQ(c.significant, wanted.at("significant").get<bool>()) << where;
  vectors::expect_near(*c.cohens_d, wanted.at("cohens_d").get<double>(), 1e-15, where);
  EXPECT_EQ(c.interpretation, wanted.at("interpretation").get<std::string>()) << where;
  EXPECT_EQ(c.conclusion, wanted.at("conclusion").get<std::string>()) << where;
  EXPECT_EQ(c.test_type, wanted.at("test_type").get<std::string>()) << where;
}

TEST(PaperComparison, equals_the_specification) {
  const Json cases = vectors::reference("stat_comparison_vs_paper");
  ASSERT_EQ(cases.size(), 13U);
  for (const Json& c : cases) expect_specified(c, c.at("result"));
  const Json more = vectors::file("specification-cases.json");
  for (const Json& c : more.at("cases"))
    if (c.at("category") == "stat_comparison" && c.contains("original_output"))
      expect_specified(c.at("input"), c.at("original_output"));
}

TEST(PaperComparison, words_of_an_effect_size) {
  const std::pair<double, const char*> words[] = {
      {0, "negligible"}, {-0.199, "negligible"}, {0.2, "small"}, {-0.49, "small"},
      {0.5, "medium"},   {0.79, "medium"},       {0.8, "large"}, {-3, "large"}};
  for (const auto& [d, word] : words) EXPECT_EQ(cohens_d_word(d), word) << d;
}

TEST(PaperComparison, the_shortcut_is_the_specifications_only) {
  std::vector<double> values(75, 0.876 - 9e-9);
  EXPECT_EQ(compared_with_paper(values, meshnet, as_specified).p_value, 1);
  const PaperComparison ours = compared_with_paper(values, meshnet);
  EXPECT_FALSE(ours.p_value);  // equal values have no spread to test with
  EXPECT_EQ(ours.verdict, stats::Verdict::inconclusive);
  EXPECT_NE(ours.conclusion.find("all values are equal"), std::string::npos);
}

/// Left-skewed scores with this mean: most high, some failures.
std::vector<double> skewed(double mean, std::size_t n) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    out.push_back(i % 8 == 7 ? 0.2 + 0.3 * place : 0.9 + 0.08 * place);
  }
  double sum = 0;
  for (const double x : out) sum += x;
  for (double& x : out) x += mean - sum / static_cast<double>(n);
  return out;
}

TEST(PaperComparison, a_mean_on_the_papers_is_not_different) {
  const std::vector<double> values = skewed(0.876, 80);
  const PaperComparison ours = compared_with_paper(values, meshnet);
  EXPECT_NEAR(ours.difference, 0, 1e-12);
  EXPECT_FALSE(ours.significant);
  EXPECT_GT(*ours.p_value, 0.5);
  EXPECT_EQ(ours.test_type, "bootstrap-t");
  // The signed-rank test holds the pseudo-median against the paper's mean.
  const PaperComparison specified = compared_with_paper(values, meshnet, as_specified);
  EXPECT_TRUE(specified.significant);
  EXPECT_EQ(specified.verdict, stats::Verdict::different);
}

TEST(PaperComparison, a_lower_mean_is_not_equivalent) {
  std::vector<double> values;  // nearly all at the paper's mean, one in 15 at 0: mean 0.82
  for (int i = 0; i < 90; ++i) values.push_back(i % 15 == 0 ? 0 : 0.876 + 0.0001 * (i % 7 - 3));
  const PaperComparison specified = compared_with_paper(values, meshnet, as_specified);
  EXPECT_EQ(specified.verdict, stats::Verdict::equivalent);
  const PaperComparison ours = compared_with_paper(values, meshnet);
  EXPECT_NEAR(ours.difference, -0.0584, 1e-3);
  EXPECT_NE(ours.verdict, stats::Verdict::equivalent);
  EXPECT_GT(*ours.tost_p, 0.05);
}

TEST(PaperComparison, no_verdict_below_six) {
  const std::vector<double> few = {0.80, 0.81, 0.805, 0.795, 0.802};
  const PaperComparison c = compared_with_paper(few, meshnet);
  EXPECT_LT(*c.p_value, 0.001);
  EXPECT_EQ(c.test_type, "Student's t");
  EXPECT_FALSE(c.significant);
  EXPECT_FALSE(c.interval);
  EXPECT_FALSE(c.tost_p);
  EXPECT_EQ(c.verdict, stats::Verdict::inconclusive);
  EXPECT_EQ(c.conclusion, "inconclusive: no verdict is given below 6 values, and there are 5");
  const std::vector<double> six = {0.80, 0.81, 0.805, 0.795, 0.802, 0.808};
  EXPECT_EQ(compared_with_paper(six, meshnet).verdict, stats::Verdict::different);
}

TEST(PaperComparison, a_large_p_is_no_equivalence) {
  const std::vector<double> few = {0.80, 0.95, 0.84, 0.92, 0.87, 0.90};
  const PaperComparison c = compared_with_paper(few, meshnet);
  EXPECT_GT(*c.p_value, 0.05);
  EXPECT_EQ(c.verdict, stats::Verdict::inconclusive);
  EXPECT_TRUE(c.conclusion.starts_with("inconclusive"));
  EXPECT_EQ(compared_with_paper(few, meshnet, as_specified).conclusion, "STATISTICALLY EQUIVALENT");
}

TEST(PaperComparison, equivalent_different_or_neither) {
  std::vector<double> near, far;
  for (int i = -20; i <= 20; ++i) {
    near.push_back(0.876 + 0.0005 * i);
    far.push_back(0.80 + 0.0005 * i);
  }
  const PaperComparison equivalent = compared_with_paper(near, meshnet);
  EXPECT_EQ(equivalent.verdict, stats::Verdict::equivalent);
  EXPECT_LT(*equivalent.tost_p, 0.05);
  EXPECT_LT(equivalent.tost_interval->upper, equivalent.interval->upper);
  const PaperComparison different = compared_with_paper(far, meshnet);
  EXPECT_EQ(different.verdict, stats::Verdict::different);
  EXPECT_TRUE(different.significant);
  EXPECT_EQ(different.conclusion, "different: the mean is lower than the paper's");
  EXPECT_EQ(different.p_text(), "p ≤ 0.0002");
  EXPECT_GT(*different.tost_p, 0.5);
  EXPECT_NEAR(different.difference, -0.076, 1e-12);
  const PaperComparisonOptions narrow = {.margin = 0.0001};
  EXPECT_EQ(compared_with_paper(near, meshnet, narrow).verdict, stats::Verdict::inconclusive);
}

TEST(PaperComparison, the_papers_own_error_counts) {
  const std::vector<double> values = skewed(0.85, 60);
  const PaperComparison exact = compared_with_paper(values, meshnet);
  const PaperComparison measured = compared_with_paper(values, {0.876, 0.2, 60});
  EXPECT_EQ(measured.test_type, "Welch's t");
  EXPECT_GT(measured.interval->upper - measured.interval->lower,
            1.2 * (exact.interval->upper - exact.interval->lower));
  EXPECT_EQ(compared_with_paper(values, {0.876, std::nullopt, 60}).test_type, "bootstrap-t");
}

TEST(PaperComparison, intervals_stay_within_the_range_of_dice) {
  std::vector<double> values(20, 1.0);
  values[3] = 0;
  const PaperComparison c = compared_with_paper(values, meshnet);
  EXPECT_DOUBLE_EQ(c.interval->lower, -0.876);
  EXPECT_LE(c.interval->upper, 1 - 0.876);
}

TEST(PaperComparison, a_zero_denominator_is_no_effect_size) {
  const std::vector<double> same(5, 0.9);
  const PaperComparison ours = compared_with_paper(same, {0.876, 0.0});
  EXPECT_FALSE(ours.cohens_d);
  EXPECT_EQ(ours.interpretation, "");
  EXPECT_EQ(ours.cohens_d_missing, "both standard deviations are 0");
  EXPECT_EQ(compared_with_paper(same, {0.876, 0.0}, as_specified).interpretation, "large");
  EXPECT_FALSE(compared_with_paper(same, {0.876}).cohens_d);
}

TEST(PaperComparison, one_value_says_nothing) {
  const std::vector<double> one = {0.5};
  const PaperComparison c = compared_with_paper(one, meshnet);
  EXPECT_EQ(c.verdict, stats::Verdict::inconclusive);
  EXPECT_FALSE(c.tost_p);
  EXPECT_FALSE(c.p_value);
  EXPECT_EQ(c.p_text(), "no p-value");
  EXPECT_EQ(c.conclusion, "inconclusive: no verdict is given below 6 values, and there is 1");
}

TEST(PaperComparison, refuses_what_cannot_be_compared) {
  const std::vector<double> bad = {0.9, std::nan("")};
  EXPECT_THROW(compared_with_paper({}, meshnet), Error);
  EXPECT_THROW(compared_with_paper(bad, meshnet), Error);
  EXPECT_THROW(compared_with_paper(std::vector{0.9}, meshnet, {.alpha = 1}), Error);
}

}  // namespace assay::parity::comparison_test
