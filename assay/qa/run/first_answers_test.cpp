// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/first_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::qa::first_answers_test {

using ::testing::HasSubstr;
using Kind = ModelReply::Kind;

ModelReply replied(Kind kind, std::string text = "") {
  return {.kind = kind, .text = std::move(text)};
}

AttemptRecord ended(Outcome outcome, std::string text = "") {
  return {.key = {}, .outcome = outcome, .prediction = std::move(text)};
}

TEST(FirstAnswers, eight_replies_that_are_cut_off_are_enough) {
  FirstAnswers watch({.api = "responses", .max_output_tokens = 4096});
  for (int i = 0; i < 7; ++i) EXPECT_EQ(watch.take(replied(Kind::truncated)), "");
  const std::string said = watch.take(replied(Kind::truncated, "The ans"));
  EXPECT_THAT(said, HasSubstr("(8 cut off)"));
  EXPECT_THAT(said, HasSubstr("--max-output-tokens above 4096"));
  EXPECT_THAT(said, HasSubstr(R"({"reasoning": {"effort": "low"}})"));
  EXPECT_THAT(said, HasSubstr("--ask-again truncated,"));
  EXPECT_EQ(watch.take(replied(Kind::truncated)), "") << "said once";
}

TEST(FirstAnswers, one_useful_reply_leaves_only_the_watch_over_attempts) {
  FirstAnswers watch({.attempts = 3});
  watch.take(replied(Kind::answer, "a crop, please"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(watch.take(replied(Kind::truncated)), "");
  EXPECT_EQ(watch.take(ended(Outcome::truncated)), "");
  EXPECT_EQ(watch.take(ended(Outcome::refused, "no")), "");
  const std::string said = watch.take(ended(Outcome::scored, " \n"));
  EXPECT_THAT(said, HasSubstr("(1 cut off, 1 refused, 1 empty)"));
  EXPECT_THAT(said, HasSubstr("--ask-again truncated,refused,unparsed,errored"));
}

TEST(FirstAnswers, one_useful_attempt_ends_the_watch) {
  FirstAnswers watch({.attempts = 2});
  EXPECT_EQ(watch.take(ended(Outcome::scored, "3")), "");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(watch.take(ended(Outcome::refused)), "");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(watch.take(replied(Kind::refused)), "");
}

TEST(FirstAnswers, attempts_that_broke_off_say_nothing) {
  FirstAnswers watch({.attempts = 2});
  AttemptRecord broken = ended(Outcome::errored);
  broken.resumable = true;
  EXPECT_FALSE(FirstAnswers::useful(broken));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(watch.take(broken), "");
}

TEST(FirstAnswers, looks_away_when_it_is_told) {
  FirstAnswers watch({.watches = false, .attempts = 1});
  EXPECT_EQ(watch.take(ended(Outcome::refused)), "");
}

}  // namespace assay::qa::first_answers_test
