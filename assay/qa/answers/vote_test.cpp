// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/error.hpp"
#include "assay/qa.hpp"

namespace assay::qa {
namespace {

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

}  // namespace
}  // namespace assay::qa
