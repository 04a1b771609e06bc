// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/qa_journal.hpp"

#include <gtest/gtest.h>

#include "assay/error.hpp"

namespace assay::qa::qa_journal_test {

const AttemptKey key = {"tcga", "a \"quoted\"\nid", 2};

TEST(QaJournal, calls_read_back_equal) {
  CallRecord call{.key = key, .place = {3, 1}, .request_sha256 = "abc", .seconds = 1.25};
  call.reply = {.kind = ModelReply::Kind::truncated,
                .text = "grün\t\x01",
                .usage = {.input = 5, .output = 7},
                .cost_usd = 0.1,
                .model = "m",
                .provider = "p",
                .request_id = "r",
                .finish_reason = "length"};
  const std::string text = qa_record_text(call);
  EXPECT_EQ(text.find('\n'), text.npos);
  const auto back = std::get<CallRecord>(parse_qa_record(text));
  EXPECT_EQ(back.key, key);
  EXPECT_EQ(back.place, (CallPlace{3, 1}));
  EXPECT_EQ(back.reply.kind, ModelReply::Kind::truncated);
  EXPECT_EQ(back.reply.text, call.reply.text);
  EXPECT_EQ(back.reply.usage, call.reply.usage);
  EXPECT_EQ(back.reply.cost_usd, call.reply.cost_usd);
  EXPECT_EQ(back.reply.request_id, "r");
  EXPECT_EQ(qa_record_text(back), text);
}

TEST(QaJournal, unknown_cost_stays_unknown) {
  const CallRecord call{.key = key, .place = {1, 0}, .request_sha256 = "abc"};
  EXPECT_EQ(std::get<CallRecord>(parse_qa_record(qa_record_text(call))).reply.cost_usd,
            std::nullopt);
}

TEST(QaJournal, other_records_read_back_equal) {
  for (const QaRecord& record : std::initializer_list<QaRecord>{
           SettingsRecord{{{"max_steps", "20"}, {"request_json", R"({"a":[1,null]})"}}},
           SentRecord{key, {2, 0}, 0.125}, SentRecord{key, {2, 1}, 0.5, 0.25},
           CallRecord{.key = key,
           .place = {1, 0},
           .request_sha256 = "x",
           .failure = "timed out",
           .possible_usd = 0.5},
           AttemptRecord{.key = key,
           .outcome = Outcome::errored,
           .prediction = "p",
           .error = "e",
           .trajectory_file = "t",
           .resumable = true}})
    EXPECT_EQ(qa_record_text(parse_qa_record(qa_record_text(record))), qa_record_text(record));
}

TEST(QaJournal, events_read_back_equal) {
  const SettingsRecord settings{{{"model", "\"m\""}, {"max_steps", "20"}}};
  for (const QaEvent& event : std::initializer_list<QaEvent>{
           StartEvent{.at_s = 1763384500.125,
 .timestamp = "2026",
 .host = "abc",
 .rules = "giant",
 .runs = 3,
 .attempts = 12,
 .done = 4,
 .budget_usd = 2.5,
 .settings = settings},
           StartEvent{}, StopEvent{2, "why", true}, StopEvent{}, PulseEvent{3},
           WaitEvent{4, 5, 429}, WaitEvent{4, 5}, SalvageEvent{6, 2, 0.5, 3}, SalvageEvent{}}) {
    const std::string text = qa_record_text(event);
    EXPECT_EQ(qa_record_text(parse_qa_record(text)), text);
    EXPECT_EQ(std::get<QaEvent>(parse_qa_record(text)).index(), event.index());
  }
  const auto start = std::get<QaEvent>(
      parse_qa_record(qa_record_text(QaEvent(StartEvent{.at_s = 1.5, .settings = settings}))));
  EXPECT_EQ(std::get<StartEvent>(start).settings.values, settings.values);
}

TEST(QaJournal, events_of_later_versions_are_no_error) {
  const auto record = parse_qa_record(R"({"kind":"event","event":"new","at":"anything"})");
  EXPECT_TRUE(std::holds_alternative<OtherEvent>(std::get<QaEvent>(record)));
  EXPECT_THROW(parse_qa_record(R"({"kind":"event","event":"stop"})"), Error);
}

TEST(QaJournal, other_text_is_refused_in_our_words) {
  for (const char* text : {"", "{}", "[1]", R"({"kind": "case"})", R"({"kind": "call"})",
                           R"({"kind": "sent", "benchmark": 3})"})
    EXPECT_THROW(parse_qa_record(text), Error) << text;
}

}  // namespace assay::qa::qa_journal_test
