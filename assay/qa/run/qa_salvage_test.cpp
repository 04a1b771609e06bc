// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_salvage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/journal.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/run/qa_state.hpp"

namespace assay::qa::qa_salvage_test {

using ::testing::HasSubstr;

AttemptKey salvage_key(int item) {
  return {"tcga", std::to_string(item), 0};
}

/// A run of three questions with two calls each, 0.5 set aside for each and 0.25 spent.
std::vector<std::string> three_questions(double worst_usd = 0.5) {
  const SettingsRecord settings{{{"model", "\"m\""}, {"table_sha256", "\"abc\""}}};
  std::vector<std::string> out = {qa_record_text(settings)};
  out.push_back(qa_record_text(
      QaEvent(StartEvent{.at_s = 1, .rules = "assay", .attempts = 3, .settings = settings})));
  for (int item = 0; item < 3; ++item) {
    for (unsigned step = 1; step <= 2; ++step) {
      out.push_back(qa_record_text(SentRecord{salvage_key(item), {step, 0}, worst_usd}));
      CallRecord call{.key = salvage_key(item),
                      .place = {step, 0},
                      .request_sha256 = "h" + std::to_string(step)};
      call.reply.text = "words";
      if (worst_usd > 0) call.reply.cost_usd = worst_usd / 2;
      out.push_back(qa_record_text(call));
    }
    out.push_back(qa_record_text(AttemptRecord{.key = salvage_key(item), .prediction = "2"}));
  }
  return out;
}

std::string text_of_run(const std::vector<std::string>& records) {
  return journal_text({"s", "i", "0.2.0"},
                      std::vector<std::string_view>(records.begin(), records.end()));
}

/// The state of a journal, as the next start sees it.
QaState state_of(const std::string& text) {
  QaState state;
  const auto content = parse_journal(text, "run.journal");
  for (const std::string& record : content->records) state.take(parse_qa_record(record), {});
  state.count_calls_under_way();
  return state;
}

TEST(QaSalvageOf, nothing_is_done_to_an_intact_journal) {
  const QaSalvage s = salvaged_run(text_of_run(three_questions()), "j", 9, "1");
  EXPECT_FALSE(s.damaged);
  EXPECT_EQ(s.kept, 17U);
}

TEST(QaSalvageOf, whatever_byte_is_bad_the_rest_is_kept_and_no_money_is_forgotten) {
  const auto records = three_questions();
  const std::string whole = text_of_run(records);
  const QaState before = state_of(whole);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    text[at] = '#';
    const QaSalvage s = salvaged_run(text, "j", 9, "1");
    if (!s.damaged) continue;  // in the last line: torn, as far as anybody can tell
    EXPECT_LE(s.lost.size(), 1U) << at;
    EXPECT_GE(s.kept + 1, records.size()) << at;
    EXPECT_FALSE(s.lost_settings) << at;
    const QaState after = state_of(s.text);  // throws if it is not a sound journal
    EXPECT_GE(after.spent_usd + after.possible_usd + 1e-12, before.spent_usd) << at;
    EXPECT_EQ(after.unknown_costs, 0U) << at;
    EXPECT_EQ(after.attempts.size(), 3U) << at;
    for (const auto& [key, attempt] : after.attempts)
      EXPECT_TRUE(attempt.end || attempt.calls.size() == 2) << at;
  }
}

TEST(QaSalvageOf, lost_calls_are_named_as_far_as_they_can_be_read) {
  std::string text = text_of_run(three_questions());
  text[text.find(R"("text":"words")") + 9] = 'W';
  const QaSalvage s = salvaged_run(text, "j", 9, "1");
  ASSERT_EQ(s.lost.size(), 1U);
  EXPECT_EQ(s.lost[0].line, 5U);
  EXPECT_EQ(s.lost[0].kind, "call");
  EXPECT_EQ(s.lost[0].of, "tcga/0, run 0, step 1");
  EXPECT_EQ(s.possible_usd, 0) << "the record before it has set its money aside";
  EXPECT_DOUBLE_EQ(state_of(s.text).possible_usd, 0.5);
}

TEST(QaSalvageOf, a_lost_block_counts_with_all_calls_that_it_can_have_held) {
  const auto records = three_questions();
  std::string text = text_of_run(records);
  const std::size_t from = text.find(records[2]), to = text.find(records[7]);
  text.replace(from, to - from, to - from, '\0');
  const QaSalvage s = salvaged_run(text, "j", 9, "1");
  ASSERT_EQ(s.lost.size(), 1U);
  EXPECT_EQ(s.lost[0].kind, "");
  EXPECT_GE(s.possible_usd, 1.0) << "two calls were lost";
  EXPECT_GE(state_of(s.text).possible_usd, 1.0);
}

TEST(QaSalvageOf, without_prices_the_cost_is_unknown) {
  std::string text = text_of_run(three_questions(0));
  text[text.find(R"("text":"words")") + 9] = 'W';
  const QaSalvage s = salvaged_run(text, "j", 9, "1");
  EXPECT_EQ(s.possible_usd, 0);
  EXPECT_EQ(s.unknown_calls, 1U);
  EXPECT_GE(state_of(s.text).unknown_costs, 1U);
}

TEST(QaSalvageOf, header_and_settings_are_made_again) {
  const auto records = three_questions();
  std::string text = text_of_run(records);
  text[3] = '#';                                      // the header
  text[text.find(R"("kind":"settings")") + 3] = '#';  // the settings
  const QaSalvage s = salvaged_run(text, "j", 9, "1.2.3");
  EXPECT_FALSE(s.lost_settings);
  const auto content = parse_journal(s.text, "j");
  EXPECT_EQ(content->records.front(), records.front());
  EXPECT_EQ(content->header.version, "1.2.3");
  EXPECT_EQ(content->header.inputs_sha256, "abc");
}

TEST(QaSalvageOf, lost_settings_are_said) {
  std::vector<std::string> records = three_questions();
  records.erase(records.begin() + 1);  // version 0.1 had no events
  std::string text = text_of_run(records);
  text[text.find(R"("kind":"settings")") + 3] = '#';
  const QaSalvage s = salvaged_run(text, "j", 9, "1");
  EXPECT_TRUE(s.lost_settings);
  EXPECT_EQ(state_of(s.text).attempts.size(), 3U);
}

TEST(QaSalvageOf, journals_of_score_are_kept_without_events) {
  const std::vector<std::string> cases = {
      R"({"kind":"case","id":"a"})", R"({"kind":"case","id":"b"})", R"({"kind":"case","id":"c"})"};
  std::string text = text_of_run(cases);
  text[text.find("\"id\":\"b\"") + 6] = 'x';
  const QaSalvage s = salvaged_run(text, "j", 9, "1");
  EXPECT_FALSE(s.is_qa);
  EXPECT_EQ(s.text, text_of_run({cases[0], cases[2]}));
  EXPECT_EQ(s.lost[0].kind, "case");
  text = text_of_run(cases);
  text[20] = '#';
  EXPECT_THAT(test::refusal([&] { salvaged_run(text, "j", 9, "1"); }),
              HasSubstr("without --resume"));
}

TEST(QaSalvageOf, other_files_are_refused) {
  for (const char* text : {"\n", "hello\nworld\n", "{\"crc32\": \""})
    EXPECT_THROW(salvaged_run(text, "j", 9, "1"), Error) << text;
}

}  // namespace assay::qa::qa_salvage_test
