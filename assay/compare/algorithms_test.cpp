// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/base/test_files.hpp"
#include "assay/compare.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/random.hpp"

namespace algorithms_test {

using namespace assay;
using namespace assay::compare;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Values = std::vector<std::optional<double>>;
using Texts = std::vector<std::string>;

ResultTable table(const std::string& name, const Values& dice, const Texts& folds,
                  const std::string& column = "outer_fold") {
  ResultTable t;
  t.model_name = name;
  t.source = name + ".json";
  t.cases = dice.size();
  for (std::size_t i = 0; i < dice.size(); ++i) t.ids.push_back(std::to_string(100 + i));
  t.averages = {{"dice", dice}};
  if (!folds.empty()) t.groups = {{column, folds}};
  return t;
}

const Values base = {0.5, 0.6, 0.7, 0.5, 0.6, 0.7};
const Values better = {0.52, 0.62, 0.73, 0.53, 0.65, 0.75};
const Texts three = {"0", "0", "1", "1", "2", "2"};

CompareSettings by_folds(const Texts& columns = {"outer_fold"}) {
  CompareSettings settings;
  settings.folds = columns;
  return settings;
}

std::string refusal(const std::vector<ResultTable>& tables, const CompareSettings& settings) {
  return test::refusal([&] { compare::compare(tables, settings); });
}

double normal(stats::Generator& chance) {
  return stats::normal_quantile((std::floor(chance.uniform() * 1e12) + 0.5) / 1e12);
}

TEST(Algorithms, by_hand) {
  const Comparison found =
      compare::compare({table("a", base, three), table("b", better, three)}, by_folds());
  const AlgorithmTest& test = *found.metrics[0].pairs[0].algorithms;
  // Differences 0.02, 0.03, 0.05; variance 7/30000; each fold tests 2 and trains on 4.
  const double centre = 0.1 / 3, error = std::sqrt(7.0 / 30000 * (1.0 / 3 + 0.5));
  EXPECT_EQ(test.folds, 3U);
  EXPECT_NEAR(test.test_share, 0.5, 1e-15);
  EXPECT_NEAR(test.difference.estimate, centre, 1e-15);
  const double t = 0.95 * std::sqrt(2 / (4 * 0.975 * 0.025));  // the quantile 0.975, two degrees
  EXPECT_NEAR(test.difference.upper, centre + t * error, 1e-12);
  EXPECT_NEAR(test.test.t, centre / error, 1e-9);
  EXPECT_EQ(test.test.df, 2);
  EXPECT_EQ(verdict_name(test), "inconclusive");
  EXPECT_THAT(
      algorithm_sentence(found.metrics[0], found.metrics[0].pairs[0], "a"),
      HasSubstr("dice: over 3 folds, the algorithm of b against that of a is inconclusive"));
  EXPECT_FALSE(compare::compare({table("a", base, three), table("b", better, three)}, {})
                   .metrics[0]
                   .pairs[0]
                   .algorithms.has_value());
}

TEST(Algorithms, a_constant_gain_in_many_folds_is_a_difference) {
  Values one, two;
  Texts folds;
  for (int i = 0; i < 40; ++i) {
    one.emplace_back(0.5 + 0.01 * (i % 7));
    two.emplace_back(*one.back() + 0.1 + 0.001 * (i % 3));
    folds.push_back(std::to_string(i % 5));
  }
  const Comparison found =
      compare::compare({table("a", one, folds), table("b", two, folds)}, by_folds());
  EXPECT_EQ(verdict_name(*found.metrics[0].pairs[0].algorithms), "different");
  EXPECT_THAT(algorithm_sentence(found.metrics[0], found.metrics[0].pairs[0], "a"),
              HasSubstr("over 5 folds, the algorithm of b is better than that of a"));
  const Comparison turned =
      compare::compare({table("b", two, folds), table("a", one, folds)}, by_folds());
  EXPECT_THAT(algorithm_sentence(turned.metrics[0], turned.metrics[0].pairs[0], "b"),
              HasSubstr("the algorithm of a is worse than that of b"));
}

TEST(Algorithms, equal_scores_differ_in_nothing) {
  const Comparison found =
      compare::compare({table("a", base, three), table("b", base, three)}, by_folds());
  const AlgorithmTest& test = *found.metrics[0].pairs[0].algorithms;
  EXPECT_EQ(test.test.pvalue, 1);
  EXPECT_EQ(test.corrected_p_value, 1);
  EXPECT_EQ(verdict_name(test), "inconclusive");
}

TEST(Algorithms, two_folds_have_numbers_and_no_verdict) {
  const Texts two = {"0", "0", "0", "1", "1", "1"};
  const Comparison found =
      compare::compare({table("a", base, two), table("b", better, two)}, by_folds());
  const AlgorithmTest& test = *found.metrics[0].pairs[0].algorithms;
  EXPECT_EQ(test.test.df, 1);
  EXPECT_EQ(test.test_share, 1);
  EXPECT_EQ(verdict_name(test), "too_few_folds");
  EXPECT_FALSE(test.is_significant);
  EXPECT_THAT(algorithm_sentence(found.metrics[0], found.metrics[0].pairs[0], "a"),
              HasSubstr("too few folds for a verdict (2 of at least 3)"));
}

TEST(Algorithms, are_refused_where_there_is_nothing_to_compare) {
  const Texts one(6, "0"), other = {"0", "1", "1", "1", "2", "2"},
                           gap = {"0", "0", "1", "", "2", "2"};
  EXPECT_THAT(refusal({table("a", base, one), table("b", better, one)}, by_folds()),
              HasSubstr("all cases are in one fold"));
  EXPECT_THAT(refusal({table("a", base, three), table("b", better, other)}, by_folds()),
              HasSubstr("case 101 is in fold 0, but in b.json in fold 1"));
  EXPECT_THAT(refusal({table("a", base, gap), table("b", better, gap)}, by_folds()),
              HasSubstr("case 103 has no value"));
  EXPECT_THAT(refusal({table("a", base, {}), table("b", better, {})}, by_folds()),
              HasSubstr("no results file has a group column 'outer_fold'"));
}

TEST(Algorithms, one_file_may_say_the_folds_for_all) {
  const Comparison found =
      compare::compare({table("a", base, three), table("b", better, {})}, by_folds());
  EXPECT_EQ(found.metrics[0].pairs[0].algorithms->folds, 3U);
}

TEST(Algorithms, restarts_are_averaged_and_repetitions_are_counted) {
  // Two folds in two repetitions: each trains on the other three of its own six cases.
  Values one = base, two = better;
  one.insert(one.end(), base.begin(), base.end());
  two.insert(two.end(), better.rbegin(), better.rend());
  const Texts folds = {"0", "0", "0", "1", "1", "1", "0", "0", "0", "1", "1", "1"};
  const Texts runs = {"x", "x", "x", "x", "x", "x", "y", "y", "y", "y", "y", "y"};
  ResultTable a = table("a", one, folds), b = table("b", two, folds);
  a.groups.emplace_back("repeat", runs);
  const Comparison repeated = compare::compare({a, b}, by_folds({"outer_fold", "repeat"}));
  EXPECT_EQ(repeated.metrics[0].pairs[0].algorithms->folds, 4U);
  EXPECT_EQ(repeated.metrics[0].pairs[0].algorithms->test_share, 1);
  const Comparison averaged = compare::compare({a, b}, by_folds());
  EXPECT_EQ(averaged.metrics[0].pairs[0].algorithms->folds, 2U);
  EXPECT_EQ(averaged.metrics[0].pairs[0].algorithms->test_share, 1);
}

TEST(Algorithms, folds_are_no_subgroups_unless_asked_for_and_a_note_says_what_tests_are_about) {
  for (const std::string column : {"outer_fold", "fold", "Fold", "restart"}) {
    const std::vector<ResultTable> tables = {table("a", base, three, column),
                                             table("b", better, three, column)};
    const Comparison found = compare::compare(tables, {});
    EXPECT_THAT(found.subgroups, IsEmpty()) << column;
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr("about these trained models, not about the "
                                                   "algorithms that trained them; assay compare "
                                                   "--folds " +
                                                   column)));
    CompareSettings asked;
    asked.subgroups = {{column}};
    EXPECT_EQ(compare::compare(tables, asked).subgroups.size(), 3U) << column;
  }
  const Comparison plain =
      compare::compare({table("a", base, three, "site"), table("b", better, {})}, {});
  EXPECT_EQ(plain.subgroups.size(), 3U);
  EXPECT_THAT(plain.notes, IsEmpty());
}

TEST(Algorithms, equal_algorithms_are_seldom_called_different) {
  // Five folds of twenty cases. The luck of a training is 0.3 of the spread between cases, and
  // one fifth of it is common to all folds, since their training sets overlap.
  constexpr int studies = 600, folds = 5, cases = 20;
  stats::Generator chance(17);
  int pooled = 0, corrected = 0;
  for (int s = 0; s < studies; ++s) {
    std::vector<double> all, means;
    const double common = std::sqrt(0.2) * normal(chance);
    for (int f = 0; f < folds; ++f) {
      const double luck = 0.3 * (common + std::sqrt(0.8) * normal(chance));
      double sum = 0;
      for (int i = 0; i < cases; ++i) sum += all.emplace_back(luck + normal(chance));
      means.push_back(sum / cases);
    }
    pooled += stats::wilcoxon(all).pvalue <= 0.05 ? 1 : 0;
    corrected += stats::resampled_t(means, 0.25).test.pvalue <= 0.05 ? 1 : 0;
  }
  EXPECT_GT(pooled, studies / 5);           // about 32 %
  EXPECT_LT(corrected, studies * 7 / 100);  // about 3 %
}

}  // namespace algorithms_test
