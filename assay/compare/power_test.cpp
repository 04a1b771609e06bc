// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/power.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/base/test_files.hpp"
#include "assay/base/text.hpp"
#include "assay/compare/power_words.hpp"
#include "assay/stats/power.hpp"

namespace power_test {

using namespace assay;
using namespace assay::compare;
using testing::HasSubstr;
using testing::Not;

using Values = std::vector<double>;

ResultTable table(const std::string& name, const Values& dice) {
  ResultTable out;
  out.model_name = name;
  out.source = name + ".csv";
  out.cases = dice.size();
  MetricColumn column = {.name = "dice", .values = {}};
  for (std::size_t i = 0; i < dice.size(); ++i) {
    out.ids.push_back("c" + std::to_string(100 + i));
    column.values.emplace_back(dice[i]);
  }
  out.averages.push_back(column);
  return out;
}

/// Sixteen pairs whose differences are -1 and 1 in turn, times 0.1, plus 0.05: SD 0.1 sqrt(16/15).
constexpr std::size_t pairs = 16;
ResultTable base() {
  Values out;
  for (std::size_t i = 0; i < pairs; ++i) out.push_back(0.5 + 0.02 * static_cast<double>(i));
  return table("base", out);
}
ResultTable other() {
  ResultTable out = base();
  out.model_name = "other";
  out.source = "other.csv";
  for (std::size_t i = 0; i < pairs; ++i)
    out.averages[0].values[i] = *out.averages[0].values[i] + (i % 2 == 0 ? 0.15 : -0.05);
  return out;
}
const double sd = 0.1 * std::sqrt(16.0 / 15);

std::string message(const std::vector<ResultTable>& tables, const PowerSettings& settings) {
  return test::refusal([&] { plan_study(tables, settings); });
}

TEST(PlannedStudy, of_two_models_takes_the_spread_of_their_differences) {
  const PowerStudy study = plan_study({base(), other()}, {.difference = {.all = 0.04}});
  ASSERT_EQ(study.plans.size(), 1U);
  const PowerPlan& plan = study.plans[0];
  EXPECT_EQ(plan.model, "other");
  EXPECT_NEAR(plan.sd, sd, 1e-12);
  EXPECT_NEAR(plan.pilot.mean.estimate, 0.05, 1e-12);
  ASSERT_EQ(plan.sizes.size(), 2U);
  EXPECT_EQ(plan.sizes[0].pairs, stats::pairs_for_difference(0.04, sd, {0.8, 0.05}));
  EXPECT_EQ(plan.sizes[1].pairs, stats::pairs_for_difference(0.04, sd, {0.9, 0.05}));
  EXPECT_EQ(plan.sizes[0].cautious,
            stats::pairs_for_difference(0.04, stats::cautious_sd(sd, 16), {0.8, 0.05}));
  EXPECT_TRUE(plan.is_simulated);
  EXPECT_TRUE(plan.sizes[0].signed_rank);
  EXPECT_FALSE(plan.is_own_difference);
  EXPECT_THAT(sentence(study, plan), Not(HasSubstr("the pilot's own")));
}

TEST(PlannedStudy, the_pilot_s_own_difference_comes_with_a_warning) {
  const PowerStudy study = plan_study({base(), other()}, {});
  const PowerPlan& plan = study.plans[0];
  EXPECT_TRUE(plan.is_own_difference);
  EXPECT_NEAR(plan.difference, 0.05, 1e-12);
  EXPECT_FALSE(plan.sizes[0].nearer);  // the interval includes 0
  EXPECT_EQ(plan.sizes[0].further,
            stats::pairs_for_difference(plan.pilot.mean.upper, sd, {0.8, 0.05}));
  EXPECT_THAT(sentence(study, plan), HasSubstr("includes 0"));
  EXPECT_THAT(assumptions(study), testing::Contains(HasSubstr("too large if it was the reason")));
}

TEST(PlannedStudy, a_small_difference_is_not_lost_in_the_skewness_of_a_pilot) {
  ResultTable skewed = base();
  skewed.model_name = skewed.source = "skewed";
  for (std::size_t i = 0; i < pairs; ++i)
    *skewed.averages[0].values[i] += 0.1 * std::exp(0.2 * static_cast<double>(i));
  const auto size = [&](double difference) {
    return plan_study({base(), skewed}, {.difference = {.all = difference}}).plans[0].sizes[0];
  };
  for (const double difference : {0.06, -0.06}) {
    const PlannedSize found = size(difference);
    ASSERT_TRUE(found.signed_rank) << difference;
    EXPECT_LT(static_cast<double>(*found.signed_rank), 1.25 * static_cast<double>(*found.pairs));
  }
}

TEST(PlannedStudy, a_mean_that_few_cases_make_is_told) {
  ResultTable failing = base();
  failing.model_name = failing.source = "failing";
  for (std::size_t i = 0; i < pairs; ++i)
    *failing.averages[0].values[i] += i == 3 ? -0.4 : 0.01 + 0.0001 * static_cast<double>(i);
  const PowerStudy study = plan_study({base(), failing}, {});
  EXPECT_FALSE(study.plans[0].sizes[0].signed_rank);
  EXPECT_THAT(sentence(study, study.plans[0]), HasSubstr("The mean depends on a few cases"));
}

TEST(PlannedStudy, a_margin_asks_for_equivalence) {
  const PowerStudy study = plan_study({base(), other()}, {.margin = {.all = 0.03}});
  const PowerPlan& plan = study.plans[0];
  EXPECT_EQ(plan.difference, 0);
  EXPECT_EQ(
      plan.sizes[0].pairs,
      stats::pairs_for_equivalence({.margin = 0.03, .difference = 0, .sd = plan.sd}, {0.8, 0.05}));
  EXPECT_FALSE(plan.is_simulated);
  EXPECT_THAT(assumptions(study), testing::Contains(HasSubstr("pseudo-median")));
  EXPECT_THAT(message({base(), other()}, {.difference = {.all = 0.05}, .margin = {.all = 0.03}}),
              HasSubstr("not within the margin"));
}

TEST(PlannedStudy, several_models_share_alpha) {
  const PowerStudy study =
      plan_study({base(), other()}, {.difference = {.all = 0.04}, .models = 5});
  EXPECT_DOUBLE_EQ(study.alpha_per_test, 0.01);
  EXPECT_EQ(study.plans[0].sizes[0].pairs, stats::pairs_for_difference(0.04, sd, {0.8, 0.01}));
  ResultTable third = other();
  third.model_name = "third";
  third.source = "third.csv";
  third.averages[0].values[0] = 0.9;
  const PowerStudy three = plan_study({base(), other(), third}, {.baseline = "base"});
  EXPECT_EQ(three.models, 2U);
  EXPECT_EQ(three.plans.size(), 2U);
}

TEST(PlannedStudy, of_one_model_assumes_a_correlation) {
  const PowerStudy study = plan_study({base()}, {.difference = {.all = 0.04}});
  ASSERT_EQ(study.plans.size(), 3U);
  const double own = study.plans[0].pilot.sd.estimate;
  EXPECT_EQ(study.plans[0].assumed_correlation, 0.5);
  EXPECT_NEAR(study.plans[0].sd, own, 1e-15);
  EXPECT_NEAR(study.plans[2].sd, own * std::sqrt(0.2), 1e-15);
  const PowerStudy given = plan_study({base()}, {.difference = {.all = 0.04}, .correlation = 0.7});
  ASSERT_EQ(given.plans.size(), 1U);
  EXPECT_EQ(given.plans[0].sizes[0].pairs, study.plans[1].sizes[0].pairs);
}

TEST(PlannedStudy, clusters_are_pairs) {
  std::vector<ResultTable> both = {base(), other()};
  for (ResultTable& each : both) {
    auto& group = each.groups.emplace_back();
    group.first = "subject";
    for (std::size_t i = 0; i < pairs; ++i) group.second.push_back(std::to_string(i % 8));
  }
  const PowerStudy study = plan_study(both, {.cluster = "subject", .difference = {.all = 0.04}});
  const PowerPlan& plan = study.plans[0];
  EXPECT_EQ(plan.pilot.n, 8U);
  EXPECT_EQ(plan.pilot.cases, 16U);
  EXPECT_NEAR(plan.sd, 0.1 * std::sqrt(8.0 / 7), 1e-12);  // both cases of a subject are alike
  EXPECT_EQ(cases_for(plan, 10), 20U);
  EXPECT_GT(plan.pilot.design_effect.value(), 1.5);
  EXPECT_FALSE(plan.is_simulated);  // eight
  EXPECT_THAT(sentence(study, plan), HasSubstr("clusters for a power of 80 %"));
}

TEST(PlannedStudy, failures_count_as_in_compare) {
  ResultTable failing = other();
  auto& column = failing.averages[0];
  column.values[0].reset();
  column.failed.push_back({0, 0.0, "prediction_empty", "1"});
  const auto spread = [&](UndefinedPolicy policy) {
    return plan_study({base(), failing}, {.undefined = policy, .difference = {.all = 0.04}})
        .plans[0]
        .pilot;
  };
  EXPECT_EQ(spread(UndefinedPolicy::worst).n, 16U);
  EXPECT_EQ(spread(UndefinedPolicy::exclude).n, 15U);
  EXPECT_GT(spread(UndefinedPolicy::worst).sd.estimate,
            spread(UndefinedPolicy::exclude).sd.estimate);
}

TEST(PlannedStudy, refuses_what_cannot_be_planned) {
  EXPECT_THAT(message({}, {}), HasSubstr("give the results of a pilot"));
  EXPECT_THAT(message({base()}, {}), HasSubstr("give --difference D or --margin M"));
  EXPECT_THAT(message({base(), other()}, {.correlation = 0.5}), HasSubstr("--correlation"));
  EXPECT_THAT(message({base(), other()}, {.powers = {1.2}}), HasSubstr("--power"));
  EXPECT_THAT(message({base(), other()}, {.difference = {.each = {{"hd95", 1}}}}),
              HasSubstr("'hd95' is not planned for"));
  EXPECT_THAT(message({base(), other()}, {.difference = {.all = 0}}),
              HasSubstr("a difference of 0"));
  const Values five = {0.1, 0.2, 0.3, 0.5, 0.7};
  EXPECT_THAT(message({table("few", five)}, {.difference = {.all = 0.1}}),
              HasSubstr("the pilot has 5 cases; planning needs the spread of at least 6"));
  EXPECT_THAT(message({table("flat", Values(8, 0.5))}, {.difference = {.all = 0.1}}),
              HasSubstr("all values of the pilot are equal"));
}

}  // namespace power_test
