// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace assay::qa::qa_state_test {

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

const AskAgain always = [](const AttemptRecord&) { return true; };

TEST(QaState, half_done_attempt_keeps_its_calls) {
  QaState state;
  state.take(call(1, 0.5));
  state.take(call(2, 0.25));
  const AttemptState& attempt = state.attempts.at(key);
  EXPECT_FALSE(attempt.end);
  EXPECT_EQ(attempt.calls.size(), 2U);
  EXPECT_EQ(attempt.totals.cost_usd, 0.75);
  EXPECT_EQ(attempt.totals.tokens, 30);
  EXPECT_DOUBLE_EQ(state.spent_usd, 0.75);
}

TEST(QaState, errors_are_retried_on_request_only) {
  for (const bool resumable : {false, true}) {
    QaState kept, again;
    for (QaState* state : {&kept, &again}) {
      state->take(call(1, 0.5));
      state->take(errored(resumable), state == &again ? always : AskAgain());
    }
    EXPECT_TRUE(kept.attempts.at(key).end);
    EXPECT_FALSE(again.attempts.at(key).end);
    EXPECT_EQ(again.attempts.at(key).calls.size(), resumable ? 1U : 0U);
    EXPECT_EQ(again.attempts.at(key).totals.cost_usd, 0.5);  // paid is paid
  }
}

TEST(QaState, only_what_cuts_off_is_dropped_before_a_reply_is_asked_again) {
  for (const Outcome outcome : {Outcome::truncated, Outcome::refused}) {
    QaState state;
    state.take(call(1, 0.5));
    CallRecord last = call(2, 0.25);
    last.reply.kind =
        outcome == Outcome::refused ? ModelReply::Kind::refused : ModelReply::Kind::truncated;
    state.take(last);
    state.take(AttemptRecord{.key = key, .outcome = outcome, .prediction = "half"}, always);
    const AttemptState& attempt = state.attempts.at(key);
    EXPECT_FALSE(attempt.end);
    ASSERT_EQ(attempt.calls.size(), 1U);
    EXPECT_EQ(attempt.calls[0].place, (CallPlace{1, 0}));
    EXPECT_EQ(attempt.totals.cost_usd, 0.75) << "paid is paid";
    EXPECT_EQ(attempt.last_end()->prediction, "half") << "it counts until there is another end";
    EXPECT_TRUE(attempt.begun()) << "one call of it is good";
    state.take(AttemptRecord{.key = key, .outcome = Outcome::scored, .prediction = "whole"});
    EXPECT_EQ(attempt.last_end()->prediction, "whole");
    EXPECT_FALSE(attempt.before);
  }
}

TEST(QaState, an_answer_that_cannot_be_read_is_asked_again_from_the_beginning) {
  QaState state;
  state.take(call(1, 0.5));
  state.take(AttemptRecord{.key = key, .prediction = "hm"}, always);
  EXPECT_TRUE(state.attempts.at(key).calls.empty());
  EXPECT_FALSE(state.attempts.at(key).begun());
  EXPECT_EQ(state.attempts.at(key).last_end()->prediction, "hm");
}

TEST(QaState, unknown_cost_makes_the_sum_unknown) {
  QaState state;
  state.take(call(1, 0.5));
  state.take(call(2, std::nullopt));
  EXPECT_EQ(state.attempts.at(key).totals.cost_usd, std::nullopt);
  EXPECT_EQ(state.unknown_costs, 1U);
}

TEST(QaState, call_under_way_may_have_been_charged) {
  QaState state;
  state.take(SentRecord{key, {1, 0}, 0.5});
  EXPECT_DOUBLE_EQ(state.possible_usd, 0.5);
  state.take(call(1, 0.125));
  EXPECT_DOUBLE_EQ(state.possible_usd, 0.0);
  EXPECT_DOUBLE_EQ(state.spent_usd, 0.125);
}

TEST(QaState, excess_of_a_reply_is_known_to_later_starts) {
  QaState state;
  state.take(SentRecord{key, {1, 0}, 0.5});
  state.take(call(1, 0.75));
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.25);
  EXPECT_EQ(state.above_reserve, 1U);
  state.take(SentRecord{key, {2, 0}, 0.75, 0.25});  // its bound is 0.5 as well
  state.take(call(2, 0.625));
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.25);
  EXPECT_EQ(state.above_reserve, 1U);
  state.take(SentRecord{key, {3, 0}, 0.75, 0.25});
  state.take(call(3, 1.0));
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.5);
  EXPECT_EQ(state.above_reserve, 2U);
  state.take(SentRecord{key, {4, 0}, 0});  // without a price
  state.take(call(4, 9.0));
  EXPECT_DOUBLE_EQ(state.largest_excess_usd, 0.5);
}

class OpenedRunTest : public ::testing::Test {
 protected:
  using Values = std::vector<std::pair<std::string, std::string>>;
  OpenedRun open(const Values& values) {
    return opened_run(folder_.path() / "run.journal", {values},
                      {.settings_sha256 = "s", .inputs_sha256 = "i", .version = "1"});
  }
  OpenedRun open(const std::string& steps) { return open(Values{{"max_steps", steps}}); }
  std::string refused(const Values& values) {
    return test::refusal([&] { open(values); });
  }
  test::TemporaryFolder folder_;
};

TEST_F(OpenedRunTest, goes_on_with_the_same_settings) {
  {
    OpenedRun first = open("20");
    EXPECT_FALSE(first.resumed);
    first.journal.commit({qa_record_text(call(1, 0.5))});
  }
  const OpenedRun second = open("20");
  EXPECT_TRUE(second.resumed);
  EXPECT_EQ(second.state.attempts.at(key).calls.size(), 1U);
}

TEST_F(OpenedRunTest, says_which_setting_changed) {
  open("20");
  EXPECT_THAT(test::refusal([&] { open("10"); }), HasSubstr("max_steps was 20, is now 10"));
}

/// What may change: the limit of an answer and the effort of reasoning, wherever a server takes
/// them.
TEST_F(OpenedRunTest, limits_and_effort_may_change) {
  const auto with = [](const std::string& limit, const std::string& request) {
    return Values{{"max_output_tokens", limit}, {"request_json", request}};
  };
  {
    OpenedRun first = open(with("8192", R"({"temperature":0,"reasoning_effort":"high"})"));
    first.journal.commit({qa_record_text(call(1, 0.5))});
  }
  for (const char* request :
       {R"({"temperature":0})", R"({"temperature":0,"reasoning":{"effort":"low"}})",
        R"({"temperature":0,"output_config":{"effort":"low"},"max_tokens":9})"}) {
    const OpenedRun next = open(with("32000", request));
    EXPECT_TRUE(next.resumed);
    ASSERT_EQ(next.state.asked_with.size(), 1U);
    EXPECT_EQ(next.state.asked_with.begin()->first,
              R"({"max_output_tokens":8192,"request_json":{"reasoning_effort":"high"}})")
        << "a journal of 0.1 keeps no more than its settings";
  }
  EXPECT_THAT(refused(with("8192", "null")), HasSubstr("request_json was {\"temperature\":0}"));
  EXPECT_THAT(refused(with("8192", R"({"temperature":0,"output_config":{"format":1}})")),
              HasSubstr("request_json was"));
}

TEST_F(OpenedRunTest, a_setting_that_is_new_was_null) {
  open("20");
  EXPECT_EQ(refused({{"max_steps", "20"}, {"image_detail", "null"}}), "");
  EXPECT_THAT(refused({{"max_steps", "20"}, {"image_detail", "\"low\""}}),
              HasSubstr("image_detail was null, is now \"low\""));
}

TEST(QaState, a_salvage_counts_as_perhaps_spent_and_leaves_gaps) {
  QaState state;
  state.take(call(1, 0.5), {});
  state.take(QaEvent(SalvageEvent{.lost = 2, .possible_usd = 0.25, .unknown_calls = 3}), {});
  EXPECT_DOUBLE_EQ(state.possible_usd, 0.25);
  EXPECT_EQ(state.unknown_costs, 3U);
  EXPECT_TRUE(state.attempts.at(key).has_gaps);
}

TEST_F(OpenedRunTest, answers_without_settings_are_not_overwritten) {
  {
    Journal::create(folder_.path() / "run.journal", {"s", "i", "1"})
        .commit({qa_record_text(call(1, 0.5))});
  }
  EXPECT_THROW(open("20"), Error);
  EXPECT_EQ(read_journal(folder_.path() / "run.journal")->records.size(), 1U);
}

TEST_F(OpenedRunTest, other_files_are_not_overwritten) {
  for (const std::string text : {"my notes", "my notes\n", "my\nnotes\n"}) {
    write_atomically(folder_.path() / "run.journal", text);
    EXPECT_THROW(open("20"), Error) << text;
    EXPECT_EQ(read_text(folder_.path() / "run.journal"), text);
  }
  for (const std::string& torn : {std::string("{\"crc"), std::string(100, '\0')}) {
    write_atomically(folder_.path() / "run.journal", torn);
    EXPECT_FALSE(open("20").resumed);
  }
}

TEST_F(OpenedRunTest, one_writer_at_a_time) {
  const OpenedRun first = open("20");
  EXPECT_THROW(open("20"), Error);
}

}  // namespace assay::qa::qa_state_test
