// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/trajectory_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/base64.hpp"
#include "assay/report/html.hpp"

namespace trajectory_page_test {

using namespace assay;
using namespace assay::report;
using testing::HasSubstr;
using testing::Not;

constexpr const char* attack = "<script>alert('x')</script>\"&";

qa::TrajectoryImage image(const std::string& sha256, const std::string& kind) {
  return {.sha256 = sha256, .region = {10, 20, 300, 400}, .width = 30, .height = 40, .kind = kind};
}

TrajectoryView example() {
  TrajectoryView view{.trajectory = {.benchmark = "tcga",
                                     .item_id = "TCGA-02",
                                     .run = 1,
                                     .question = "What is it?",
                                     .slide = "TCGA-02.svs",
                                     .slide_width = 4000,
                                     .slide_height = 3000}};
  view.trajectory.turns = {
      {.step = 1,
       .images = {image("t", "thumbnail")},
       .prompt = "Step 1 of 20",
       .reply = "closer",
       .crop = slide::SlideRegion{100, 200, 500, 600},
       .usage = {10, {}, {}, 5, {}},
       .cost_usd = 0.25},
      {.step = 2,
       .images = {image("c", "crop")},
       .reply = "outside",
       .problem = "not inside",
       .crop = slide::SlideRegion{9000, 0, 5, 5},
       .usage = {20, {}, {}, 5, {}},
       .cost_usd = 0.5},
      {.step = 2, .reply = "the answer is 2", .usage = {30, {}, {}, 5, {}}, .cost_usd = 1.0}};
  view.trajectory.outcome = "scored";
  view.jpegs = {{"t", "thumb"}, {"c", "crop!"}};
  qa::ItemResult result = {
      .item_id = "TCGA-02", .truth_label = 2, .options = {"glioma", "sarcoma"}};
  result.votes = {
      {.run = 0},
      {.run = 1,
       .outcome = qa::Outcome::scored,
       .answer = {.label = 2, .raw = "the answer is 2", .rule = "answer_is", .span = {14, 15}}}};
  view.result = result;
  return view;
}

TEST(Html, nothing_is_markup) {
  EXPECT_EQ(html_escaped("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
  EXPECT_EQ(html_escaped("é\n\t"), "é\n\t");
  EXPECT_EQ(html_escaped(std::string_view("\0\x1b", 2)), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(TrajectoryPage, options_that_the_question_lists_are_shown_once) {
  TrajectoryView view = example();
  view.trajectory.question = "What is it?\n\nOptions:\n1. glioma\n2. sarcoma\n\nGive a number.";
  const std::string page = trajectory_page(view);
  EXPECT_EQ(page.find("glioma"), page.rfind("glioma"));
  EXPECT_THAT(page, HasSubstr("What is it?\n\nOptions:</div>\n<ol class=\"options\">"));
  EXPECT_THAT(page, HasSubstr("</ol>\n<div class=\"text\">Give a number.</div>"));
  view.result.reset();  // the run has not ended: there is nothing to mark
  EXPECT_THAT(trajectory_page(view), HasSubstr("1. glioma\n2. sarcoma\n\nGive a number."));
}

TEST(TrajectoryPage, shows_steps_boxes_pictures_and_verdict) {
  const std::string page = trajectory_page(example());
  EXPECT_THAT(page, HasSubstr("right: 2, truth 2"));
  EXPECT_THAT(page, HasSubstr("<li>glioma</li>"));
  EXPECT_THAT(page, HasSubstr("<b>sarcoma</b> <span class=\"good\">← truth and answer</span>"));
  EXPECT_THAT(page, HasSubstr("viewBox=\"0 0 4000 3000\""));
  EXPECT_THAT(page, HasSubstr("class=\"box\" x=\"100\" y=\"200\" width=\"500\" height=\"600\""));
  EXPECT_THAT(page, Not(HasSubstr("x=\"9000\"")));  // refused, so it was never seen
  EXPECT_THAT(page, HasSubstr("data:image/jpeg;base64," + base64("crop!")));
  EXPECT_THAT(page, HasSubstr("crop: x 10, y 20, 300 × 400 pixels"));
  EXPECT_THAT(page, HasSubstr("<h3>Step 2, again</h3>"));
  EXPECT_THAT(page, HasSubstr("the answer is <mark>2</mark>"));
  EXPECT_THAT(page, HasSubstr("rule: answer_is"));
  EXPECT_THAT(page, HasSubstr("<th>input tokens</th><td>60</td>"));
  EXPECT_THAT(page, HasSubstr("<th>cost</th><td>$1.7500</td>"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(TrajectoryPage, an_unknown_part_makes_a_sum_unknown) {
  TrajectoryView view = example();
  view.trajectory.turns[1].cost_usd.reset();
  view.trajectory.turns[0].usage.output.reset();
  const std::string page = trajectory_page(view);
  EXPECT_THAT(page, HasSubstr("<th>cost</th><td>unknown</td>"));
  EXPECT_THAT(page, Not(HasSubstr("<th>output tokens</th>")));
}

TEST(TrajectoryPage, says_what_is_wrong_or_not_there) {
  TrajectoryView view = example();
  view.result->votes[1].answer.label = 1;
  view.jpegs.erase("c");
  view.trajectory.error = "the connection broke";
  const std::string page = trajectory_page(view);
  EXPECT_THAT(page, HasSubstr("wrong: 1, truth 2"));
  EXPECT_THAT(page, HasSubstr("The image crops/c.jpg is missing."));
  EXPECT_THAT(page, HasSubstr("the connection broke"));
  view.result.reset();
  view.trajectory.outcome = "refused";
  view.trajectory.final_answer = "I cannot";
  EXPECT_THAT(trajectory_page(view), HasSubstr("<span class=\"verdict bad\">refused</span>"));
  EXPECT_THAT(trajectory_page(view), HasSubstr("I cannot"));
}

/// Every text of a trajectory can come from a model or a table: none may become markup.
TEST(TrajectoryPage, escapes_every_text) {
  TrajectoryView view = example();
  qa::Trajectory& t = view.trajectory;
  for (std::string* text :
       {&t.benchmark, &t.item_id, &t.question, &t.slide, &t.final_answer, &t.outcome, &t.error})
    *text = attack;
  for (qa::TrajectoryTurn& turn : t.turns) {
    for (std::string* text :
         {&turn.prompt, &turn.reply, &turn.problem, &turn.model, &turn.request_id})
      *text = attack;
    for (qa::TrajectoryImage& seen : turn.images) seen.sha256 = seen.kind = attack;
  }
  view.result->options = {attack, attack};
  qa::ExtractedAnswer& answer = view.result->votes[1].answer;
  answer.raw = answer.rule = attack;
  for (std::size_t end = 0; end < 40; ++end) {  // a span may cut anywhere, even beyond the text
    answer.span = {end / 2, end};
    const std::string page = trajectory_page(view);
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("alert('")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  }
}

TEST(TrajectoryPage, an_empty_trajectory_is_a_page_too) {
  EXPECT_THAT(trajectory_page({.trajectory = {.benchmark = "b", .item_id = "i"}}),
              HasSubstr("<h1>b · i</h1>"));
}

}  // namespace trajectory_page_test
