// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/qa.hpp"
#include "assay/stats/executors_for_test.hpp"
#include "assay/stats/random.hpp"

namespace assay::qa {
namespace {

ItemResult item(const std::vector<OptionalLabel>& labels, std::int64_t truth) {
  Item question;
  question.truth = truth;
  std::vector<Attempt> attempts;
  for (const OptionalLabel& label : labels) {
    Attempt attempt = {.outcome = label ? Outcome::scored : Outcome::errored};
    attempt.answer.label = label;
    attempts.push_back(attempt);
  }
  return voted_result(question, attempts);
}

TEST(Majority, worked_by_hand) {
  const std::vector<ItemResult> one = {item({1, 2, 2}, 2)};
  const MajorityScores got = majority_scores(one, stats::ClassificationMetric::accuracy);
  ASSERT_EQ(got.at.size(), 3U);
  EXPECT_EQ(got.by_run, (std::vector<double>{0, 1, 1}));
  EXPECT_DOUBLE_EQ(got.at[0].mean, 2.0 / 3);  // the mean over runs
  EXPECT_DOUBLE_EQ(got.at[1].mean, 1.0 / 3);  // {1, 2} twice goes to the 1 that came first
  EXPECT_DOUBLE_EQ(got.at[2].mean, 1);        // the run's own vote
  EXPECT_EQ(got.at[1].subsets, 3U);
  EXPECT_FALSE(got.at[2].std.has_value());
}

TEST(Majority, runs_that_only_some_items_have) {
  const std::vector<ItemResult> results = {item({1, 2, 2}, 2), item({2, {}}, 2), item({}, 1)};
  const MajorityScores got = majority_scores(results, stats::ClassificationMetric::accuracy);
  EXPECT_EQ(got.runs, 2U);
  EXPECT_EQ(got.left_out, 1U);
  EXPECT_EQ(got.by_run, (std::vector<double>{1.0 / 3, 1.0 / 3}));  // never asked is wrong
  EXPECT_DOUBLE_EQ(got.at[1].mean, 1.0 / 3);
  const std::vector<ItemResult> single = {item({1}, 1), item({2}, 1)};
  EXPECT_TRUE(majority_scores(single, stats::ClassificationMetric::accuracy).at.empty());
  EXPECT_EQ(majority_scores({}, stats::ClassificationMetric::accuracy).runs, 0U);
}

TEST(Majority, many_runs_are_sampled_alike_by_any_number_of_threads) {
  stats::Generator chance(9);
  std::vector<ItemResult> results;
  for (std::int64_t i = 0; i < 30; ++i) {
    std::vector<OptionalLabel> labels;
    for (int run = 0; run < 20; ++run)
      labels.emplace_back(static_cast<std::int64_t>(chance.below(3)));
    results.push_back(item(labels, i % 3));
  }
  const auto metric = stats::ClassificationMetric::balanced_accuracy;
  const MajorityScores got = majority_scores(results, metric);
  EXPECT_FALSE(got.at[9].all);
  EXPECT_EQ(got.at[9].subsets, 1000U);
  EXPECT_TRUE(got.at[1].all);
  const MajorityScores again =
      majority_scores(results, metric, {.executor = executors::three_threads});
  for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(got.at[k].mean, again.at[k].mean);
}

}  // namespace
}  // namespace assay::qa
