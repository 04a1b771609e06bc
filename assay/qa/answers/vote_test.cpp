// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/stats/executors_for_test.hpp"
#include "assay/stats/random.hpp"

namespace assay::qa::vote_test {

VoteResult vote(std::vector<OptionalLabel> labels) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < labels.size(); ++i) texts.push_back("t" + std::to_string(i));
  return majority_vote(labels, texts);
}

TEST(Vote, most_votes_then_first_seen) {
  EXPECT_EQ(vote({1, 1, 2}).label, 1);
  EXPECT_EQ(vote({2, 1, 1}).prediction, "t1");
  EXPECT_EQ(vote({2, 1, 1, 2}).label, 2);
  EXPECT_TRUE(vote({2, 1, 1, 2}).tied);
  EXPECT_FALSE(vote({2, 1, 1}).tied);
  EXPECT_EQ(vote({{}, {}, {}, 5}).label, 5);
  EXPECT_EQ(vote({{}, {}}).label, std::nullopt);
  EXPECT_EQ(majority_vote(std::vector<OptionalLabel>(3), std::vector<std::string>{"a", "b", "b"})
                .prediction,
            "b");
  const std::vector<std::pair<std::int64_t, std::size_t>> counts = {{3, 2}, {1, 1}};
  EXPECT_EQ(vote({3, {}, 1, 3}).counts, counts);
  EXPECT_THROW(vote({}), Error);
  EXPECT_THROW(majority_vote(std::vector<OptionalLabel>{1}, std::vector<std::string>{}), Error);
}

TEST(Vote, label_alone_is_the_same) {
  const std::vector<OptionalLabel> choices = {{}, 1, 2, 3};
  for (std::size_t code = 0; code < 1024; ++code) {
    std::vector<OptionalLabel> labels;
    for (std::size_t i = 0; i < 5; ++i) labels.push_back(choices[(code >> (2 * i)) % 4]);
    EXPECT_EQ(majority_label(labels), vote(labels).label) << code;
  }
  EXPECT_EQ(majority_label({}), std::nullopt);
}

Attempt attempt(Outcome outcome, OptionalLabel label = {}, std::optional<double> cost = 0.5) {
  Attempt out = {.outcome = outcome};
  out.answer = {label, label ? std::to_string(*label) : "?", label ? "json" : "none", {0, 1}};
  out.cost_usd = cost;
  out.total_tokens = 10;
  out.error = outcome == Outcome::errored ? "late" : "";
  return out;
}

Item item() {
  Item out;
  out.benchmark = "tcga";
  out.id = "7";
  out.image_path = "s.svs";
  out.truth = 2;
  return out;
}

TEST(Vote, result_of_an_item) {
  const ItemResult right = voted_result(
      item(), {attempt(Outcome::errored), attempt(Outcome::scored, 2), attempt(Outcome::unparsed)});
  EXPECT_EQ(right.outcome, Outcome::scored);
  EXPECT_TRUE(right.correct);
  EXPECT_EQ(right.rule, "json");
  EXPECT_EQ(right.error, "");
  EXPECT_EQ(right.cost_usd, 1.5);
  EXPECT_EQ(right.total_tokens, 30);
  EXPECT_EQ(right.slide, "s.svs");

  const ItemResult failed =
      voted_result(item(), {attempt(Outcome::refused), attempt(Outcome::errored, {}, {}),
                            attempt(Outcome::errored), attempt(Outcome::refused)});
  EXPECT_EQ(failed.outcome, Outcome::refused);
  EXPECT_EQ(failed.predicted_label, std::nullopt);
  EXPECT_FALSE(failed.correct);
  EXPECT_EQ(failed.cost_usd, std::nullopt);

  EXPECT_EQ(voted_result(item(), {attempt(Outcome::errored)}).error, "late");
  EXPECT_EQ(voted_result(item(), {}).outcome, Outcome::skipped);
  // A label that a cut answer happens to hold does not vote.
  EXPECT_EQ(voted_result(item(), {attempt(Outcome::truncated, 2)}).outcome, Outcome::truncated);
}

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

}  // namespace assay::qa::vote_test
