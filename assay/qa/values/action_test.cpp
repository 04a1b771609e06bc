// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/action.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::qa::action_test {

using testing::HasSubstr;

std::string problem(std::string_view reply) {
  const Action action = parse_action(reply);
  const auto* invalid = std::get_if<InvalidAction>(&action.what);
  return invalid == nullptr ? "valid" : invalid->problem;
}

std::string answer(std::string_view reply) {
  const Action action = parse_action(reply);
  const auto* said = std::get_if<AnswerAction>(&action.what);
  return said == nullptr ? "no answer" : said->text;
}

TEST(Action, crop_is_read_wherever_it_stands) {
  for (const char* reply : {
           R"({"reasoning": "r", "action": )"
           R"({"action_type": "crop", "x": 1, "y": 2, "width": 3, "height": 4}})",
           "Let me look {here}.\n```json\n"
           R"({"reasoning": "r", "action": )"
           R"({"action_type": "crop", "x": 1.0, "y": "2", "width": 3, "height": 4}})"
           "\n```",
           R"({"action_type": "crop", "x": 1, "y": 2, "width": 3, "height": 4, "reasoning": "r"})",
       }) {
    const Action action = parse_action(reply);
    ASSERT_TRUE(std::holds_alternative<CropAction>(action.what)) << reply;
    EXPECT_EQ(std::get<CropAction>(action.what).region, (slide::SlideRegion{1, 2, 3, 4}));
    EXPECT_EQ(action.reasoning, "r");
  }
}

TEST(Action, answer_keeps_what_was_said) {
  EXPECT_EQ(answer(R"({"action": {"action_type": "answer", "answer_text": "{\"answer\": 3}"}})"),
            R"({"answer": 3})");
  EXPECT_EQ(answer(R"({"action": {"action_type": "answer", "answer": 3}})"), R"({"answer": 3})");
  EXPECT_EQ(answer(R"(I am sure. {"answer": 3})"), R"(I am sure. {"answer": 3})");
  EXPECT_EQ(answer(R"({"isup_grade": 2})"), R"({"isup_grade": 2})");
}

TEST(Action, last_action_counts) {
  EXPECT_EQ(answer(R"(First {"action_type": "crop", "x": 1, "y": 1, "width": 1, "height": 1},)"
                   R"( no: {"action_type": "answer", "answer_text": "B"})"),
            "B");
}

TEST(Action, problems_say_what_is_missing) {
  EXPECT_THAT(problem("The tumour is large."), HasSubstr("no JSON object"));
  EXPECT_THAT(problem("{{{{"), HasSubstr("no JSON object"));
  EXPECT_THAT(problem(R"({"action": {"action_type": "crop", "x": 1}})"),
              HasSubstr("whole numbers"));
  EXPECT_THAT(
      problem(R"({"action": {"action_type": "crop", "x": 0.5, "y": 1, "width": 2, "height": 2}})"),
      HasSubstr("whole numbers"));
  EXPECT_THAT(
      problem(
          R"({"action": {"action_type": "crop", "x": 1e300, "y": 1, "width": 2, "height": 2}})"),
      HasSubstr("whole numbers"));
  EXPECT_THAT(problem(R"({"action": {"action_type": "answer", "answer_text": "  "}})"),
              HasSubstr("non-empty"));
  EXPECT_THAT(problem(R"({"action": {"action_type": "conch"}})"), HasSubstr("'conch'"));
}

TEST(Action, deep_nesting_ends_in_time) {
  EXPECT_THAT(problem(std::string(200'000, '{')), HasSubstr("no JSON object"));
  EXPECT_THAT(problem(std::string(5000, '{') + std::string(5000, '}')), HasSubstr("no JSON"));
}

}  // namespace assay::qa::action_test
