// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/agent/agent_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "assay/error.hpp"
#include "assay/qa/agent/prompt.hpp"

namespace assay::qa::agent_loop_test {

using testing::HasSubstr;

/// A slide without pixels and a model that says what it was told to say.
class ScriptedDoors : public LoopDoors {
 public:
  explicit ScriptedDoors(std::deque<ModelReply> replies) : replies_(std::move(replies)) {
    slide_.width = 100'000;
    slide_.height = 75'000;
    slide_.levels = {{100'000, 75'000, 1}, {25'000, 18'750, 4}};
  }

  const slide::SlideInfo& slide() override { return slide_; }
  ChatImage image(const ImageWish& wish) override {
    wishes.push_back(wish);
    if (wishes.size() == failing_image) throw Error(Error::Kind::io, "torn");
    return {std::make_shared<const std::string>("jpeg"), std::to_string(wishes.size()), 10, 10};
  }
  std::vector<slide::SlideRegion> patches(const PatchSettings& settings) override {
    seeds.push_back(settings.seed);
    return std::vector<slide::SlideRegion>(settings.count, slide::SlideRegion{0, 0, 224, 224});
  }
  ModelReply ask(const Chat& chat, CallPlace place) override {
    chats.push_back(chat);
    places.push_back(place);
    if (places.size() == failing_call) throw AttemptFailed{"no line"};
    EXPECT_FALSE(replies_.empty()) << "the script has no more replies";
    ModelReply reply = replies_.empty() ? ModelReply{} : replies_.front();
    if (!replies_.empty()) replies_.pop_front();
    return reply;
  }

  bool is_recorded(CallPlace place) const override {
    return std::ranges::find(recorded, place) != recorded.end();
  }

  std::string last_text() const { return std::get<std::string>(chats.back().back().parts.back()); }

  std::vector<ImageWish> wishes;
  std::vector<std::uint32_t> seeds;
  std::vector<Chat> chats;
  std::vector<CallPlace> places;
  std::vector<CallPlace> recorded;
  std::size_t failing_call = 0;  ///< from 1; 0: none
  std::size_t failing_image = 0;

 private:
  slide::SlideInfo slide_;
  std::deque<ModelReply> replies_;
};

ModelReply said(std::string text) {
  return {.kind = ModelReply::Kind::answer, .text = std::move(text)};
}

ModelReply crop(int x = 1000, int y = 1000, int side = 5000) {
  return said(R"({"reasoning": "look", "action": {"action_type": "crop", "x": )" +
              std::to_string(x) + R"(, "y": )" + std::to_string(y) + R"(, "width": )" +
              std::to_string(side) + R"(, "height": )" + std::to_string(side) + "}}");
}

ModelReply answer(const std::string& text = "3") {
  return said(R"({"reasoning": "sure", "action": {"action_type": "answer", "answer_text": ")" +
              text + "\"}}");
}

const Item item = {.benchmark = "tcga",
                   .id = "one",
                   .image_path = "one.svs",
                   .file_id = "",
                   .prompt = "Which?",
                   .options = {"a", "b", "c"},
                   .truth = 3};

LoopSettings steps(unsigned count, bool fixed = false) {
  LoopSettings settings;
  settings.max_steps = count;
  settings.fixed_steps = fixed;
  return settings;
}

TEST(AgentLoop, crops_then_answers) {
  ScriptedDoors doors({crop(), crop(), answer()});
  const LoopResult result = run_loop(item, 0, steps(5), doors);
  EXPECT_EQ(result.outcome, Outcome::scored);
  EXPECT_EQ(result.prediction, "3");
  ASSERT_EQ(result.turns.size(), 3U);
  EXPECT_EQ(result.turns[0].crop, (slide::SlideRegion{1000, 1000, 5000, 5000}));
  EXPECT_EQ(result.turns[1].images.at(0).region, (slide::SlideRegion{1000, 1000, 5000, 5000}));
  EXPECT_EQ(doors.wishes.size(), 3U);
  EXPECT_EQ(doors.wishes[0].kind, ImageWish::Kind::guided_thumbnail);
  EXPECT_EQ(doors.wishes[1].longest, 1000);
}

TEST(AgentLoop, every_call_repeats_all_that_was_said_and_shown) {
  ScriptedDoors doors({crop(), crop(), answer()});
  run_loop(item, 0, steps(5), doors);
  ASSERT_EQ(doors.chats.size(), 3U);
  EXPECT_EQ(doors.chats[2].size(), 6U);  // rules; user, assistant, user, assistant, user
  std::size_t images = 0;
  for (const ChatMessage& message : doors.chats[2])
    for (const ChatPart& part : message.parts) images += std::holds_alternative<ChatImage>(part);
  EXPECT_EQ(images, 3U);
  EXPECT_THAT(std::get<std::string>(doors.chats[2].back().parts.back()),
              HasSubstr("Step 3 of 5, 2 crops remaining"));
}

TEST(AgentLoop, invalid_region_is_corrected) {
  ScriptedDoors doors({crop(99'000, 74'000), crop(), answer()});
  const LoopResult result = run_loop(item, 0, steps(5), doors);
  EXPECT_EQ(result.prediction, "3");
  EXPECT_FALSE(result.turns[0].problem.empty());
  EXPECT_EQ(doors.places[1], (CallPlace{1, 1}));  // the same step, tried again
  EXPECT_EQ(doors.places[2], (CallPlace{2, 0}));
}

TEST(AgentLoop, corrections_end) {
  ScriptedDoors doors({said(R"({"action": {"action_type": "conch"}})"),
                       said(R"({"action": {"action_type": "conch"}})"), said("?"), said("?")});
  const LoopResult result = run_loop(item, 0, steps(5), doors);
  EXPECT_EQ(result.outcome, Outcome::errored);
  EXPECT_THAT(result.error, HasSubstr("3 corrections"));
  EXPECT_EQ(doors.places.size(), 4U);
}

TEST(AgentLoop, crop_on_the_last_step_forces_an_answer) {
  ScriptedDoors doors({crop(), crop(), answer("2")});
  const LoopResult result = run_loop(item, 0, steps(2), doors);
  EXPECT_EQ(result.prediction, "2");
  EXPECT_EQ(doors.places.back(), (CallPlace{3, 0}));
  EXPECT_THAT(doors.last_text(), HasSubstr("No steps remain"));
  EXPECT_THAT(doors.last_text(), HasSubstr("1. look"));
}

TEST(AgentLoop, whatever_is_said_at_last_is_the_answer) {
  ScriptedDoors doors({crop(), said("hm"), said("hm"), said("I would say 2.")});
  const LoopResult result = run_loop(item, 0, steps(1), doors);
  EXPECT_EQ(result.outcome, Outcome::scored);
  EXPECT_EQ(result.prediction, "I would say 2.");
}

TEST(AgentLoop, an_answer_in_plain_words_is_an_answer) {
  for (const char* words :
       {"The answer is 2.", "2", "$\\boxed{2}$", "Final answer: b", "Option 2."}) {
    ScriptedDoors doors({crop(), said(words)});
    const LoopResult result = run_loop(item, 0, steps(5), doors);
    EXPECT_EQ(result.outcome, Outcome::scored) << words;
    EXPECT_EQ(result.prediction, words);
    EXPECT_EQ(doors.places.size(), 2U) << words;
  }
}

TEST(AgentLoop, words_that_do_not_answer_are_corrected) {
  for (const char* words :
       {"Let me zoom in; option 2 is possible.", "Is it option 2?", "I cannot tell.",
        "{\"action\": {\"action_type\": \"crop\", \"x\": 2, \"y\": ... option 2"}) {
    ScriptedDoors doors({said(words), answer()});
    const LoopResult result = run_loop(item, 0, steps(5), doors);
    EXPECT_EQ(result.prediction, "3") << words;
    EXPECT_EQ(doors.places.back(), (CallPlace{1, 1})) << words;
  }
}

TEST(AgentLoop, fixed_steps_refuse_an_early_answer_in_words) {
  ScriptedDoors doors({said("The answer is 2."), crop(), said("The answer is 1.")});
  EXPECT_EQ(run_loop(item, 0, steps(2, true), doors).prediction, "The answer is 1.");
}

TEST(AgentLoop, a_forced_answer_in_plain_words_is_taken_at_once) {
  ScriptedDoors doors({crop(), said("I would say 2.")});
  EXPECT_EQ(run_loop(item, 0, steps(1), doors).prediction, "I would say 2.");
  EXPECT_EQ(doors.places.size(), 2U);
}

/// What an earlier version asked again after such an answer is in its journal, and is followed.
TEST(AgentLoop, a_recorded_correction_is_followed) {
  ScriptedDoors doors({said("The answer is 2."), answer("1")});
  doors.recorded = {{1, 0}, {1, 1}};
  EXPECT_EQ(run_loop(item, 0, steps(5), doors).prediction, "1");
  EXPECT_EQ(doors.places.back(), (CallPlace{1, 1}));
}

TEST(AgentLoop, fixed_steps_refuse_an_early_answer) {
  ScriptedDoors doors({answer(), crop(), answer()});
  const LoopResult result = run_loop(item, 0, steps(2, true), doors);
  EXPECT_EQ(result.prediction, "3");
  EXPECT_EQ(doors.places.size(), 3U);
  EXPECT_THAT(std::get<std::string>(doors.chats[0].back().parts.back()),
              HasSubstr("Do NOT answer until the final step."));
}

TEST(AgentLoop, refusal_and_truncation_are_their_own_outcomes) {
  ScriptedDoors refusing({crop(), {.kind = ModelReply::Kind::refused, .text = "I can't"}});
  EXPECT_EQ(run_loop(item, 0, steps(5), refusing).outcome, Outcome::refused);
  ScriptedDoors cut({{.kind = ModelReply::Kind::truncated, .text = "The tum"}});
  EXPECT_EQ(run_loop(item, 0, steps(5), cut).outcome, Outcome::truncated);
}

TEST(AgentLoop, one_step_asks_for_the_answer_at_once) {
  ScriptedDoors doors({answer()});
  run_loop(item, 0, steps(1), doors);
  EXPECT_THAT(doors.last_text(), HasSubstr("This is your FINAL step."));
}

TEST(AgentLoop, thumbnail_is_one_call) {
  LoopSettings settings;
  settings.mode = AgentMode::thumbnail;
  ScriptedDoors doors({said("{\"answer\": 2}")});
  const LoopResult result = run_loop(item, 0, settings, doors);
  EXPECT_EQ(result.prediction, "{\"answer\": 2}");
  EXPECT_EQ(doors.wishes.at(0).kind, ImageWish::Kind::thumbnail);
}

TEST(AgentLoop, patches_vote) {
  LoopSettings settings;
  settings.mode = AgentMode::patch_vote;
  settings.patches.count = 4;
  ScriptedDoors doors({said("{\"answer\": 1}"), said("no idea"), said("{\"answer\": 2}"),
                       said("The answer is 2.")});
  const LoopResult result = run_loop(item, 7, settings, doors);
  EXPECT_EQ(result.prediction, "{\"answer\": 2}");
  EXPECT_EQ(result.turns.size(), 4U);
  EXPECT_EQ(doors.seeds, (std::vector<std::uint32_t>{49}));  // 42 and the run's number
}

TEST(AgentLoop, collage_shows_all_patches) {
  LoopSettings settings;
  settings.mode = AgentMode::patch;
  ScriptedDoors doors({said("2")});
  run_loop(item, 0, settings, doors);
  EXPECT_EQ(doors.wishes.at(0).regions.size(), 30U);
}

TEST(AgentLoop, what_was_done_before_a_failure_is_kept) {
  ScriptedDoors doors({crop(), crop(2000)});
  doors.failing_call = 2;
  const LoopResult result = run_loop(item, 0, steps(5), doors);
  EXPECT_EQ(result.outcome, Outcome::errored);
  EXPECT_TRUE(result.broken_off);
  EXPECT_EQ(result.error, "no line");
  ASSERT_EQ(result.turns.size(), 2U);
  EXPECT_TRUE(result.turns[0].crop.has_value());
  EXPECT_EQ(result.turns[1].problem, "no line");
  EXPECT_EQ(result.turns[1].images.size(), 1U) << "what the failed call would have shown";
}

TEST(AgentLoop, a_failed_picture_ends_the_attempt_after_its_turn) {
  ScriptedDoors doors({crop()});
  doors.failing_image = 2;
  const LoopResult result = run_loop(item, 0, steps(5), doors);
  EXPECT_TRUE(result.broken_off);
  EXPECT_EQ(result.error, "torn");
  ASSERT_EQ(result.turns.size(), 1U);
  EXPECT_EQ(result.turns[0].problem, "") << "its reply was sound";
}

TEST(AgentLoop, failed_patches_keep_those_before) {
  LoopSettings settings;
  settings.mode = AgentMode::patch_vote;
  settings.patches.count = 3;
  ScriptedDoors doors({said("1"), said("2"), said("3")});
  doors.failing_call = 3;
  EXPECT_EQ(run_loop(item, 0, settings, doors).turns.size(), 3U);
}

TEST(Instructions, steps_must_exist) {
  EXPECT_THROW(step_text(1, 0, false), Error);
}

}  // namespace assay::qa::agent_loop_test
