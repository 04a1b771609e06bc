// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace assay::qa {
namespace {

using ::testing::HasSubstr;

const AttemptKey key = {"tcga", "one", 0};

CallRecord call(unsigned step, std::optional<double> cost) {
  CallRecord record{.key = key, .place = {step, 0}, .request_sha256 = "h"};
  record.reply.cost_usd = cost;
  record.reply.usage = {.input = 10, .output = 5};
  return record;
}

AttemptRecord errored(bool resumable) {
  return {.key = key, .outcome = Outcome::errored, .error = "e", .resumable = resumable};
}

TEST(QaState, HalfDoneAttemptKeepsItsCalls) {
  QaState state;
  state.take(call(1, 0.5), false);
  state.take(call(2, 0.25), false);
  const AttemptState& attempt = state.attempts.at(key);
  EXPECT_FALSE(attempt.end);
  EXPECT_EQ(attempt.calls.size(), 2U);
  EXPECT_EQ(attempt.totals.cost_usd, 0.75);
  EXPECT_EQ(attempt.totals.tokens, 30);
  EXPECT_DOUBLE_EQ(state.spent_usd, 0.75);
}

TEST(QaState, ErrorsAreRetriedOnRequestOnly) {
  for (const bool resumable : {false, true}) {
    QaState kept, again;
    for (QaState* state : {&kept, &again}) {
      state->take(call(1, 0.5), state == &again);
      state->take(errored(resumable), state == &again);
    }
    EXPECT_TRUE(kept.attempts.at(key).end);
    EXPECT_FALSE(again.attempts.at(key).end);
    EXPECT_EQ(again.attempts.at(key).calls.size(), resumable ? 1U : 0U);
    EXPECT_EQ(again.attempts.at(key).totals.cost_usd, 0.5);  // paid is paid
  }
}

TEST(QaState, AnswersAreNeverRetried) {
  QaState state;
  state.take(AttemptRecord{.key = key, .outcome = Outcome::truncated}, true);
  EXPECT_TRUE(state.attempts.at(key).end);
}

TEST(QaState, UnknownCostMakesTheSumUnknown) {
  QaState state;
  state.take(call(1, 0.5), false);
  state.take(call(2, std::nullopt), false);
  EXPECT_EQ(state.attempts.at(key).totals.cost_usd, std::nullopt);
  EXPECT_EQ(state.unknown_costs, 1U);
}

TEST(QaState, CallUnderWayMayHaveBeenCharged) {
  QaState state;
  state.take(SentRecord{key, {1, 0}, 0.5}, false);
  EXPECT_DOUBLE_EQ(state.possible_usd, 0.5);
  state.take(call(1, 0.125), false);
  EXPECT_DOUBLE_EQ(state.possible_usd, 0.0);
  EXPECT_DOUBLE_EQ(state.spent_usd, 0.125);
}

TEST(QaState, ExcessOfAReplyIsKnownToLaterStarts) {
  QaState state;
  state.take(SentRecord{key, {1, 0}, 0.5}, false);
  state.take(call(1, 0.75), false);
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.25);
  EXPECT_EQ(state.above_reserve, 1U);
  state.take(SentRecord{key, {2, 0}, 0.75, 0.25}, false);  // its bound is 0.5 as well
  state.take(call(2, 0.625), false);
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.25);
  EXPECT_EQ(state.above_reserve, 1U);
  state.take(SentRecord{key, {3, 0}, 0.75, 0.25}, false);
  state.take(call(3, 1.0), false);
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.5);
  EXPECT_EQ(state.above_reserve, 2U);
  state.take(SentRecord{key, {4, 0}, 0}, false);  // without a price
  state.take(call(4, 9.0), false);
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.5);
}

class OpenedRunTest : public ::testing::Test {
 protected:
  OpenedRun open(const std::string& steps, bool retry = false) {
    return opened_run(folder_.path() / "run.journal", {{{"max_steps", steps}}},
                      {.settings_sha256 = "s", .inputs_sha256 = "i", .version = "1"}, retry);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(OpenedRunTest, GoesOnWithTheSameSettings) {
  {
    OpenedRun first = open("20");
    EXPECT_FALSE(first.resumed);
    first.journal.commit({qa_record_text(call(1, 0.5))});
  }
  const OpenedRun second = open("20");
  EXPECT_TRUE(second.resumed);
  EXPECT_EQ(second.state.attempts.at(key).calls.size(), 1U);
}

TEST_F(OpenedRunTest, SaysWhichSettingChanged) {
  open("20");
  try {
    open("10");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("max_steps was 20, is now 10"));
  }
}

TEST_F(OpenedRunTest, OneWriterAtATime) {
  const OpenedRun first = open("20");
  EXPECT_THROW(open("20"), Error);
}

}  // namespace
}  // namespace assay::qa
