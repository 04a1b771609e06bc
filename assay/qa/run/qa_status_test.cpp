// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_status.hpp"

#include <gtest/gtest.h>

#include "assay/error.hpp"
#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/run/qa_plan.hpp"

namespace assay::qa::qa_status_test {

AttemptKey key_of(int item, unsigned run = 0) {
  return {"tcga", "item \"" + std::to_string(item) + "\"", run};
}

/// Ten questions whose right answer is 2.
QaPlan ten_questions() {
  QaPlan plan;
  plan.table.benchmarks = {{"tcga", stats::ClassificationMetric::balanced_accuracy}};
  for (int i = 0; i < 10; ++i) {
    plan.table.items.push_back({.benchmark = "tcga",
                                .id = key_of(i).item,
                                .image_path = "a.svs",
                                .file_id = "",
                                .prompt = "",
                                .options = {"a", "b", "c"},
                                .truth = 2});
    plan.items.push_back({.index = static_cast<std::size_t>(i), .selected = true, .slide = {}});
  }
  return plan;
}

class StatusOf : public ::testing::Test {
 protected:
  void take(const QaRecord& record) { reader_.take(qa_record_text(record)); }
  void start(double at_s, unsigned runs = 1) {
    take(QaEvent(StartEvent{.at_s = at_s,
                            .timestamp = "t",
                            .host = "here",
                            .rules = "assay",
                            .runs = runs,
                            .attempts = 10 * runs,
                            .budget_usd = 5.0}));
  }
  void sent(int item, double usd, unsigned step = 1) {
    take(SentRecord{key_of(item), {step, 0}, usd});
  }
  void call(int item, std::optional<double> usd, unsigned step = 1) {
    CallRecord record{.key = key_of(item), .place = {step, 0}, .request_sha256 = "h"};
    record.reply.text = "A \\ \"quoted\" \n text \u00e9";
    record.reply.cost_usd = usd;
    record.reply.usage = {.input = 100, .cache_read = 20, .output = 30, .reasoning = 10};
    take(record);
  }
  void failed(int item, const std::string& why, double possible_usd = 0) {
    take(CallRecord{.key = key_of(item),
                    .place = {1, 0},
                    .request_sha256 = "h",
                    .failure = why,
                    .possible_usd = possible_usd});
  }
  void ended(int item, const std::string& prediction, Outcome outcome = Outcome::scored,
             unsigned run = 0) {
    take(AttemptRecord{.key = key_of(item, run), .outcome = outcome, .prediction = prediction});
  }
  QaStatus status(double now_s, bool locked = true, const std::string& host = "here") const {
    return reader_.status({.now_s = now_s, .locked = locked, .host = host});
  }

  StatusReader reader_{ten_questions()};
};

TEST_F(StatusOf, counts_what_is_done_and_right) {
  start(1000);
  ended(0, R"({"answer": 2})");
  ended(1, R"({"answer": 1})");
  ended(2, "no idea");
  ended(3, "", Outcome::refused);
  const QaStatus s = status(1060);
  EXPECT_EQ(s.state, RunState::running);
  EXPECT_EQ(s.done, 4U);
  EXPECT_EQ(s.expected, 10U);
  ASSERT_EQ(s.benchmarks.size(), 1U);
  EXPECT_EQ(s.benchmarks[0].right, 1U);
  EXPECT_EQ(s.benchmarks[0].questions, 4U);
  EXPECT_EQ(s.benchmarks[0].outcomes[static_cast<std::size_t>(Outcome::unparsed)], 1U);
  EXPECT_EQ(s.benchmarks[0].outcomes[static_cast<std::size_t>(Outcome::refused)], 1U);
}

TEST_F(StatusOf, votes_decide_what_is_right) {
  start(1000, 3);
  ended(0, R"({"answer": 1})", Outcome::scored, 2);  // in any order
  ended(0, R"({"answer": 2})", Outcome::scored, 1);
  ended(0, R"({"answer": 2})", Outcome::scored, 0);
  ended(1, R"({"answer": 1})", Outcome::scored, 0);  // a tie goes to the first run
  ended(1, R"({"answer": 2})", Outcome::scored, 1);
  const QaStatus s = status(1060);
  EXPECT_EQ(s.benchmarks[0].right, 1U);
  EXPECT_EQ(s.benchmarks[0].questions, 2U);
  EXPECT_EQ(s.done, 5U);
  EXPECT_EQ(s.expected, 30U);
}

TEST_F(StatusOf, money_is_spent_reserved_or_perhaps_charged) {
  start(1000);
  sent(0, 0.5);
  call(0, 0.25);
  ended(0, "2");
  sent(1, 0.5);
  failed(1, "cut off", 0.5);
  sent(2, 0.125);
  const QaStatus s = status(1060);
  EXPECT_DOUBLE_EQ(s.spent_usd, 0.25);
  EXPECT_DOUBLE_EQ(s.reserved_usd, 0.125);
  EXPECT_DOUBLE_EQ(s.possible_usd, 0.5);
  EXPECT_EQ(s.in_flight, 1U);
  EXPECT_DOUBLE_EQ(s.projected_usd.value(), 2.5);
  EXPECT_EQ(s.budget_usd, 5.0);
  const QaStatus killed = status(1060, false);
  EXPECT_EQ(killed.state, RunState::killed);
  EXPECT_DOUBLE_EQ(killed.reserved_usd, 0);
  EXPECT_DOUBLE_EQ(killed.possible_usd, 0.625);
  start(2000);  // the call of the first start will never be answered
  EXPECT_DOUBLE_EQ(status(2000).reserved_usd, 0);
  EXPECT_DOUBLE_EQ(status(2000).possible_usd, 0.625);
}

TEST_F(StatusOf, rates_are_those_of_the_last_minutes) {
  start(1000);
  for (int i = 0; i < 4; ++i) call(i, std::nullopt);
  take(QaEvent(PulseEvent{1060}));
  EXPECT_DOUBLE_EQ(status(1060).calls_per_minute.value(), 4);
  EXPECT_DOUBLE_EQ(status(1060).tokens_per_minute.value(), 600);
  EXPECT_DOUBLE_EQ(status(1120).calls_per_minute.value(), 2) << "a running run gets slower";
  EXPECT_DOUBLE_EQ(status(1120, false).calls_per_minute.value(), 4) << "a dead one does not";
  for (double at = 1070; at <= 3000; at += 10) take(QaEvent(PulseEvent{at}));
  EXPECT_DOUBLE_EQ(status(3000).calls_per_minute.value(), 0);
  EXPECT_EQ(status(3000).unknown_costs, 4U);
}

TEST_F(StatusOf, time_left_follows_from_the_speed) {
  start(1000);
  ended(0, "2");
  ended(1, "2");
  EXPECT_DOUBLE_EQ(status(1020).left_s.value(), 80);
}

TEST_F(StatusOf, failures_are_counted_by_kind) {
  start(1000);
  for (int i = 0; i < 3; ++i) {
    sent(0, 0);
    failed(0, R"(the server answered with status 429 (rate_limit_exceeded): "in )" +
                  std::to_string(i) + "s\"");
  }
  sent(0, 0);
  call(0, 0.0);
  sent(1, 0);
  failed(1, "timed out after 600 s");
  const QaStatus s = status(1060);
  EXPECT_EQ(s.failed, 4U);
  EXPECT_EQ(s.rate_limited, 3U);
  EXPECT_EQ(s.retries, 3U);
  EXPECT_EQ(s.call_errors.at("the server answered with status 429 (rate_limit_exceeded)"), 3U);
  EXPECT_EQ(s.call_errors.at("timed out after 600 s"), 1U);
}

TEST_F(StatusOf, waiting_is_told_until_it_is_over) {
  start(1000);
  take(QaEvent(WaitEvent{1010, 1040, 429}));
  take(QaEvent(WaitEvent{1011, 1030, 529}));
  EXPECT_EQ(status(1020).waiting, 2U);
  EXPECT_EQ(status(1020).waiting_until_s, 1040);
  EXPECT_EQ(status(1020).waiting_status, 429);
  EXPECT_EQ(status(1035).waiting, 1U);
  EXPECT_EQ(status(1041).waiting, 0U);
  EXPECT_EQ(status(1020, false).waiting, 0U) << "nobody is there to wait";
}

TEST_F(StatusOf, a_process_elsewhere_is_known_by_its_pulse) {
  start(1000);
  take(QaEvent(PulseEvent{1050}));
  EXPECT_EQ(status(1055, false, "elsewhere").state, RunState::running);
  EXPECT_EQ(status(1055, false).state, RunState::killed) << "here, the lock decides";
  EXPECT_EQ(status(1200, false, "elsewhere").state, RunState::killed);
  take(QaEvent(StopEvent{1300, "the budget", false}));
  EXPECT_EQ(status(1301, false).state, RunState::ended);
  EXPECT_EQ(status(1301, false).stopped, "the budget");
  start(1400);
  EXPECT_EQ(status(1401).state, RunState::running);
  EXPECT_EQ(status(1401).starts, 2U);
}

TEST(StatusOfOldRuns, need_neither_events_nor_questions) {
  StatusReader reader(std::nullopt);
  const AttemptKey key = {"tcga", "a", 0};
  reader.take(qa_record_text(SettingsRecord{{{"model", "\"m\""}}}));
  reader.take(qa_record_text(SentRecord{key, {1, 0}, 0.5}));
  CallRecord call{.key = key, .place = {1, 0}, .request_sha256 = "h"};
  call.reply.cost_usd = 0.25;
  reader.take(qa_record_text(call));
  reader.take(qa_record_text(AttemptRecord{.key = key, .prediction = "2"}));
  reader.take(R"({"kind":"event","event":"of the future","at":1})");
  const QaStatus s = reader.status({.now_s = 10});
  EXPECT_EQ(s.state, RunState::unknown);
  EXPECT_EQ(s.done, 1U);
  EXPECT_EQ(s.expected, 0U);
  EXPECT_FALSE(s.knows_truth);
  EXPECT_DOUBLE_EQ(s.spent_usd, 0.25);
  EXPECT_FALSE(s.calls_per_minute);
  EXPECT_EQ(reader.status({.now_s = 10, .locked = true}).state, RunState::running);
}

TEST(StatusOfOldRuns, other_records_are_refused) {
  StatusReader reader(std::nullopt);
  for (const char* text : {R"({"kind":"case"})", "{}", R"({"kind":"call","benchmark":3})", "[]"})
    EXPECT_THROW(reader.take(text), Error) << text;
}

TEST(Questions, read_back_equal) {
  QaPlan plan = ten_questions();
  plan.table.sha256 = "abc";
  plan.items[3].selected = false;
  plan.items[4].slide.problem = "a.svs is missing";
  plan.items[5].slide = {.problem = "two", .ambiguous = true};
  plan.table.items[6].options = {};
  plan.table.items[6].truth = 0;
  const std::string text = questions_text(plan);
  const QaPlan back = parse_questions(text, "q");
  EXPECT_EQ(questions_text(back), text);
  ASSERT_EQ(back.items.size(), 10U);
  EXPECT_FALSE(back.items[3].selected);
  EXPECT_EQ(back.items[4].slide.problem, "a.svs is missing");
  EXPECT_TRUE(back.items[5].slide.ambiguous);
  EXPECT_EQ(back.table.items[0].options, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(back.table.items[0].truth, 2);
  EXPECT_TRUE(back.table.items[6].options.empty());
  EXPECT_EQ(back.table.benchmarks[0].metric, stats::ClassificationMetric::balanced_accuracy);
  for (const char* other : {"", "{}", "[1]", R"({"schema": "assay.qa/1"})"})
    EXPECT_THROW(parse_questions(other, "q"), Error) << other;
}

}  // namespace assay::qa::qa_status_test
