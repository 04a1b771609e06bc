// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/compare.hpp"
#include "assay/stats/random.hpp"

namespace comparison_test {

using namespace assay;
using namespace assay::compare;
using testing::ElementsAre;
using testing::HasSubstr;

using Values = std::vector<std::optional<double>>;

ResultTable model(const std::string& name, const std::string& metric, const Values& values) {
  ResultTable t;
  t.model_name = name;
  t.source = name + ".json";
  t.cases = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) t.ids.push_back(std::to_string(100 + i));
  t.averages = {{metric, values}};
  return t;
}

/// 0.01, 0.02, ... above `base`, with `shift` more for each.
Values stairs(std::size_t n, double base, double shift = 0) {
  Values values;
  for (std::size_t i = 0; i < n; ++i)
    values.emplace_back(base + 0.01 * static_cast<double>(i) + shift * static_cast<double>(i + 1));
  return values;
}

const PairComparison& only(const Comparison& comparison) {
  return comparison.metrics.at(0).pairs.at(0);
}

std::string refusal(const std::vector<ResultTable>& tables, const CompareSettings& settings = {}) {
  return test::refusal([&] { compare::compare(tables, settings); });
}

TEST(Comparison, a_better_model_by_hand) {
  // Differences 0.001 … 0.008, all positive: exact p = 2 / 2^8.
  const Comparison found = compare::compare(
      {model("a", "dice", stairs(8, 0.5)), model("b", "dice", stairs(8, 0.5, 0.001))}, {});
  const PairComparison& pair = only(found);
  EXPECT_EQ(pair.n, 8U);
  EXPECT_DOUBLE_EQ(pair.result.p_value, 2.0 / 256);
  EXPECT_EQ(pair.result.verdict, stats::Verdict::different);
  EXPECT_NEAR(pair.result.difference.estimate, 0.0045, 1e-12);
  EXPECT_NEAR(pair.result.mean_difference.estimate, 0.0045, 1e-12);
  EXPECT_EQ(pair.result.effect_size, 1);
  EXPECT_THAT(sentence(found.metrics[0], pair, "a"), HasSubstr("dice: b is better than a. "));
  EXPECT_DOUBLE_EQ(*found.metrics[0].models[0].mean, 0.535);
}

TEST(Comparison, lower_is_better_turns_the_words_but_not_the_numbers) {
  const Comparison found = compare::compare(
      {model("a", "avd", stairs(8, 0.5)), model("b", "avd", stairs(8, 0.5, 0.001))},
      {.baseline = "a", .margin = 0.0051});
  EXPECT_EQ(only(found).result.effect_size, 1);
  EXPECT_EQ(only(found).result.verdict, stats::Verdict::different);
  EXPECT_THAT(sentence(found.metrics[0], only(found), "a"), HasSubstr("b is worse than a"));
  EXPECT_EQ(found.metrics[0].ranking.models[0].rank, 1);  // the baseline has the lower values
}

TEST(Comparison, non_inferiority_looks_at_the_harmful_side) {
  // Gains from -0.002 to 0.02: not worse by 0.005, but better cannot be claimed for all.
  Values gains;
  for (const double d : {-0.002, -0.001, 0.0005, 0.001, 0.015, 0.02, -0.0015, 0.018})
    gains.emplace_back(0.5 + d);
  const Values flat(8, 0.5);
  const auto verdict_of = [&](const char* metric, const Values& reference, const Values& scores) {
    return only(compare::compare({model("a", metric, reference), model("b", metric, scores)},
                                 {.baseline = "a", .margin = 0.005}))
        .result.verdict;
  };
  EXPECT_EQ(verdict_of("dice", flat, gains), stats::Verdict::non_inferior);
  EXPECT_EQ(verdict_of("avd", flat, gains), stats::Verdict::inconclusive);
  EXPECT_EQ(verdict_of("avd", gains, flat), stats::Verdict::non_inferior);
}

TEST(Comparison, equivalence_needs_a_margin_and_enough_pairs) {
  const auto verdict_of = [](std::size_t n, std::optional<double> margin) {
    CompareSettings settings;
    settings.margin = margin;
    return only(compare::compare(
                    {model("a", "dice", stairs(n, 0.5)), model("b", "dice", stairs(n, 0.5))},
                    settings))
        .result.verdict;
  };
  EXPECT_EQ(verdict_of(20, {}), stats::Verdict::inconclusive);
  EXPECT_EQ(verdict_of(20, 0.01), stats::Verdict::equivalent);
  EXPECT_EQ(verdict_of(5, 0.01),
            stats::Verdict::too_few_pairs);  // no interval of 5 pairs has its level
}

TEST(Comparison, undefined_pairs_are_dropped_and_counted) {
  Values holes = stairs(10, 0.5, 0.001);
  holes[3] = std::nullopt;
  holes[7] = std::numeric_limits<double>::infinity();
  const Comparison found =
      compare::compare({model("a", "dice", stairs(10, 0.5)), model("b", "dice", holes)}, {});
  EXPECT_EQ(only(found).n, 8U);
  EXPECT_EQ(only(found).undefined, 2U);
  EXPECT_EQ(found.metrics[0].models[1].n, 8U);
  EXPECT_EQ(found.metrics[0].ranking.n, 8U);
  EXPECT_THAT(found.notes,
              ElementsAre(HasSubstr(
                  "2 cases of 10 left out for all models, because there is no value for b (2)")));
}

TEST(Comparison, a_model_without_any_value_leaves_the_family) {
  const Values none(8);
  const Comparison found =
      compare::compare({model("a", "dice", stairs(8, 0.5)), model("b", "dice", none),
                        model("c", "dice", stairs(8, 0.5, 0.001))},
                       {.baseline = "a"});
  EXPECT_EQ(found.metrics[0].pairs[0].n, 0U);
  EXPECT_EQ(found.metrics[0].pairs[1].result.corrected_p_value, 2.0 / 256);  // a family of one
  EXPECT_THAT(sentence(found.metrics[0], found.metrics[0].pairs[0], "a"), HasSubstr("no case"));
  EXPECT_EQ(found.metrics[0].ranking.n, 0U);
}

TEST(Comparison, one_case_and_identical_models) {
  const Comparison one =
      compare::compare({model("a", "dice", {0.5}), model("b", "dice", {0.6})}, {.margin = 0.5});
  EXPECT_EQ(only(one).result.p_value, 1);
  EXPECT_EQ(only(one).result.verdict, stats::Verdict::too_few_pairs);
  EXPECT_THAT(one.notes, ElementsAre(HasSubstr("too few")));
  for (const stats::WilcoxonPolicy policy :
       {stats::WilcoxonPolicy::exact, stats::WilcoxonPolicy::scipy_1_10,
        stats::WilcoxonPolicy::scipy_1_15}) {
    CompareSettings settings;
    settings.policy = policy;
    const Comparison same = compare::compare(
        {model("a", "dice", stairs(20, 0.5)), model("b", "dice", stairs(20, 0.5))}, settings);
    EXPECT_EQ(only(same).result.p_value, 1);
    EXPECT_THAT(sentence(same.metrics[0], only(same), "a"), HasSubstr("agree on all 20 pairs"));
  }
}

TEST(Comparison, clusters_become_single_pairs) {
  // Two scans of each of 6 subjects: 6 pairs of means.
  std::vector<ResultTable> tables = {model("a", "dice", stairs(12, 0.5)),
                                     model("b", "dice", stairs(12, 0.5, 0.001))};
  std::vector<std::string> subjects;
  for (int i = 0; i < 12; ++i) subjects.push_back("s" + std::to_string(i / 2));
  tables[0].groups = {{"subject", subjects}};
  CompareSettings settings;
  settings.cluster = "subject";
  const Comparison found = compare::compare(tables, settings);
  EXPECT_EQ(only(found).n, 6U);
  EXPECT_EQ(only(found).result.p_value, 2.0 / 64);
  EXPECT_GT(*only(found).result.design_effect, 1);
  EXPECT_NEAR(only(found).result.mean_difference.estimate, 0.0065, 1e-12);
  settings.cluster = "subjct";
  EXPECT_THAT(refusal(tables, settings), HasSubstr("did you mean 'subject'?"));
}

TEST(Comparison, subgroups_are_corrected_over_all_of_a_column) {
  std::vector<ResultTable> tables = {model("a", "dice", stairs(16, 0.3)),
                                     model("b", "dice", stairs(16, 0.3, 0.001))};
  std::vector<std::string> sites, ages;
  for (int i = 0; i < 16; ++i) {
    sites.emplace_back(i < 8 ? "A" : "B");
    ages.push_back(std::to_string(i));
  }
  tables[1].groups = {{"site", sites}, {"age", ages}};
  const Comparison found = compare::compare(tables, {});
  ASSERT_EQ(found.subgroups.size(), 2U);  // age has a value of its own for each case: no grouping
  EXPECT_EQ(found.subgroups[0].value, "A");
  EXPECT_EQ(found.subgroups[0].cases, 8U);
  const stats::ComparisonResult& in_a = found.subgroups[0].metrics[0].pairs[0].result;
  EXPECT_DOUBLE_EQ(in_a.p_value, 2.0 / 256);
  EXPECT_DOUBLE_EQ(in_a.corrected_p_value, 4.0 / 256);
  CompareSettings none;
  none.subgroups = std::vector<std::string>{};
  EXPECT_TRUE(compare::compare(tables, none).subgroups.empty());
}

TEST(Comparison, metrics_that_are_asked_for_must_be_there) {
  const std::vector<ResultTable> tables = {model("a", "dice", stairs(8, 0.5)),
                                           model("b", "dice", stairs(8, 0.5))};
  CompareSettings settings;
  settings.choice.asked = {"dise"};
  EXPECT_THAT(refusal(tables, settings),
              HasSubstr("a.json: has no metric 'dise'; did you mean 'dice'? (it has: dice)"));
  settings.choice = {{}, {"7"}, {}};
  EXPECT_THAT(refusal(tables, settings), HasSubstr("has no label '7'"));
  EXPECT_THAT(refusal({model("a", "dice", {0.5}), model("b", "nsd", {0.5})}),
              HasSubstr("no metric in common"));
}

TEST(Comparison, unknown_metrics_say_what_is_assumed) {
  const std::vector<ResultTable> tables = {model("a", "foo", stairs(8, 0.5)),
                                           model("b", "foo", stairs(8, 0.5, 0.001))};
  const Comparison higher = compare::compare(tables, {});
  EXPECT_THAT(higher.notes, ElementsAre(HasSubstr("higher counts as better")));
  CompareSettings settings;
  settings.choice.lower_is_better = {"foo"};
  const Comparison lower = compare::compare(tables, settings);
  EXPECT_TRUE(lower.notes.empty());
  EXPECT_THAT(sentence(lower.metrics[0], only(lower), "a"), HasSubstr("b is worse than a"));
}

TEST(Comparison, unreasonable_settings) {
  const std::vector<ResultTable> tables = {model("a", "dice", stairs(8, 0.5)),
                                           model("b", "dice", stairs(8, 0.6))};
  EXPECT_THAT(refusal(tables, {.alpha = 0}), HasSubstr("--alpha"));
  EXPECT_THAT(refusal(tables, {.margin = -1.0}), HasSubstr("--margin"));
  EXPECT_THAT(refusal(tables, {.replicates = 0}), HasSubstr("--replicates"));
}

TEST(Comparison, ranks_follow_the_means_and_say_how_stable_they_are) {
  stats::Generator generator(stats::SeedSequence(std::vector<std::uint32_t>{7}));
  Values low, middle, high;
  for (int i = 0; i < 60; ++i) {
    const double x = 0.5 + 0.1 * generator.uniform();
    low.emplace_back(x - 0.2);
    middle.emplace_back(x + 0.02 * (generator.uniform() - 0.5));
    high.emplace_back(x + 0.02 * (generator.uniform() - 0.49));
  }
  const Comparison found = compare::compare(
      {model("low", "dice", low), model("middle", "dice", middle), model("high", "dice", high)},
      {.baseline = "low"});
  const Ranking& ranking = found.metrics[0].ranking;
  EXPECT_EQ(ranking.models[0].rank, 3);
  EXPECT_EQ(ranking.models[0].stability->rank_low, 3U);
  EXPECT_EQ(ranking.models[0].stability->probability_best, 0);
  EXPECT_GT(
      ranking.models[2].stability->probability_best + ranking.models[1].stability->probability_best,
      0.999);
  EXPECT_EQ(ranking.models[1].stability->rank_high, 2U);
  EXPECT_TRUE(ranking.friedman.has_value());
  double places = 0;
  for (const ModelRank& rank : ranking.models) places += rank.stability->places[0];
  EXPECT_NEAR(places, 1, 1e-12);
}

}  // namespace comparison_test
