// SPDX-License-Identifier: Apache-2.0
#include "assay/parity/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace assay {
namespace {

using vectors::Json;

constexpr PaperComparisonOptions as_specified = {.compat_spec = true};

void expect_specified(const Json& input, const Json& wanted) {
  const auto values = vectors::numbers(input.at("our_results"));
  const PaperComparison c = compared_with_paper(values, input.at("paper_mean").get<double>(),
                                                input.at("paper_std").get<double>(), as_specified);
  const std::string where = input.dump().substr(0, 60);
  EXPECT_EQ(c.our_mean, wanted.at("our_mean").get<double>()) << where;
  EXPECT_EQ(c.our_std, wanted.at("our_std").get<double>()) << where;
  EXPECT_EQ(c.wilcoxon_statistic, wanted.at("wilcoxon_statistic").get<double>()) << where;
  vectors::expect_near(c.p_value, wanted.at("p_value").get<double>(), 1e-12, where);
  EXPECT_EQ(c.significant, wanted.at("significant").get<bool>()) << where;
  vectors::expect_near(*c.cohens_d, wanted.at("cohens_d").get<double>(), 1e-15, where);
  EXPECT_EQ(c.interpretation, wanted.at("interpretation").get<std::string>()) << where;
  EXPECT_EQ(c.conclusion, wanted.at("conclusion").get<std::string>()) << where;
  EXPECT_EQ(c.test_type, wanted.at("test_type").get<std::string>()) << where;
}

TEST(PaperComparison, EqualsTheSpecification) {
  const Json cases = vectors::reference("stat_comparison_vs_paper");
  if (cases.is_null()) GTEST_SKIP() << "no ../shared/vectors/seed-reference.json";
  ASSERT_EQ(cases.size(), 13U);
  for (const Json& c : cases) expect_specified(c, c.at("result"));
  const Json more = vectors::file("seed-cases.json");
  for (const Json& c : more.at("cases"))
    if (c.at("category") == "stat_comparison" && c.contains("original_output"))
      expect_specified(c.at("input"), c.at("original_output"));
}

TEST(PaperComparison, WordsOfAnEffectSize) {
  const std::pair<double, const char*> words[] = {
      {0, "negligible"}, {-0.199, "negligible"}, {0.2, "small"}, {-0.49, "small"},
      {0.5, "medium"},   {0.79, "medium"},       {0.8, "large"}, {-3, "large"}};
  for (const auto& [d, word] : words) EXPECT_EQ(cohens_d_word(d), word) << d;
}

TEST(PaperComparison, TheShortcutIsTheSpecificationsOnly) {
  std::vector<double> values(75, 0.876 - 9e-9);
  EXPECT_EQ(compared_with_paper(values, 0.876, 0.016, as_specified).p_value, 1);
  const PaperComparison ours = compared_with_paper(values, 0.876, 0.016);
  EXPECT_LT(ours.p_value, 1e-20);                // every one of them is lower
  EXPECT_EQ(ours.verdict, Verdict::equivalent);  // and by nothing that matters
  EXPECT_EQ(ours.policy, "exact");
}

TEST(PaperComparison, ALargePIsNoEquivalence) {
  const std::vector<double> few = {0.80, 0.95, 0.84, 0.92};
  const PaperComparison c = compared_with_paper(few, 0.876, 0.016);
  EXPECT_GT(c.p_value, 0.05);
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_TRUE(c.conclusion.starts_with("inconclusive"));
  EXPECT_FALSE(c.warning.empty());  // four values can never be significant
  EXPECT_EQ(compared_with_paper(few, 0.876, 0.016, as_specified).conclusion,
            "STATISTICALLY EQUIVALENT");
}

TEST(PaperComparison, EquivalentDifferentOrNeither) {
  std::vector<double> near, far;
  for (int i = -20; i <= 20; ++i) {
    near.push_back(0.876 + 0.0005 * i);
    far.push_back(0.80 + 0.0005 * i);
  }
  const PaperComparison equivalent = compared_with_paper(near, 0.876, 0.016);
  EXPECT_EQ(equivalent.verdict, Verdict::equivalent);
  EXPECT_LT(*equivalent.tost_p, 0.05);
  const PaperComparison different = compared_with_paper(far, 0.876, 0.016);
  EXPECT_EQ(different.verdict, Verdict::different);
  EXPECT_TRUE(different.significant);
  EXPECT_GT(*different.tost_p, 0.5);
  EXPECT_NEAR(different.difference.estimate, -0.076, 1e-12);
  const PaperComparisonOptions narrow = {.margin = 0.0001};
  EXPECT_EQ(compared_with_paper(near, 0.876, 0.016, narrow).verdict, Verdict::inconclusive);
}

TEST(PaperComparison, AZeroDenominatorIsNoEffectSize) {
  const std::vector<double> same(5, 0.9);
  const PaperComparison ours = compared_with_paper(same, 0.876, 0.0);
  EXPECT_FALSE(ours.cohens_d);
  EXPECT_EQ(ours.interpretation, "");
  EXPECT_EQ(ours.cohens_d_missing, "both standard deviations are 0");
  EXPECT_EQ(compared_with_paper(same, 0.876, 0.0, as_specified).interpretation, "large");
  EXPECT_FALSE(compared_with_paper(same, 0.876, std::nullopt).cohens_d);
}

TEST(PaperComparison, OneValueSaysNothing) {
  const std::vector<double> one = {0.5};
  const PaperComparison c = compared_with_paper(one, 0.876, 0.016);
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_FALSE(c.tost_p);
  EXPECT_EQ(c.p_value, 1);
}

TEST(PaperComparison, RefusesWhatCannotBeCompared) {
  const std::vector<double> bad = {0.9, std::nan("")};
  EXPECT_THROW(compared_with_paper({}, 0.876, 0.016), Error);
  EXPECT_THROW(compared_with_paper(bad, 0.876, 0.016), Error);
  EXPECT_THROW(compared_with_paper(std::vector{0.9}, 0.876, 0.016, {.alpha = 1}), Error);
}

}  // namespace
}  // namespace assay
