// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"
#include "assay/base/text.hpp"

namespace trajectory_test {

using namespace assay;
using namespace assay::qa;
using testing::HasSubstr;

Trajectory example() {
  Trajectory t = {.benchmark = "tcga",
                  .item_id = "TCGA-02 <b>",
                  .run = 2,
                  .question = "What is it?\n1. \"a\"",
                  .slide = "TCGA-02.svs",
                  .slide_width = 100'000,
                  .slide_height = 80'000};
  t.turns.push_back({.step = 1,
                     .images = {{.sha256 = std::string(64, 'a'),
                                 .region = {0, 0, 100'000, 80'000},
                                 .width = 1024,
                                 .height = 819,
                                 .kind = "thumbnail"}},
                     .prompt = "Step 1 of 20",
                     .reply = "crop",
                     .crop = slide::SlideRegion{10, 20, 3000, 4000},
                     .model = "m-1",
                     .request_id = "req_1",
                     .usage = {900, std::nullopt, 100, 7, std::nullopt},
                     .cost_usd = 0.0123});
  t.turns.push_back({.step = 2, .reply = "é", .problem = "no JSON"});
  t.final_answer = R"({"answer": 3})";
  t.outcome = "scored";
  return t;
}

std::string refusal(const std::string& text) {
  return test::refusal([&] { parse_trajectory(text, "t.json"); });
}

TEST(Trajectory, reads_back_what_it_writes) {
  EXPECT_EQ(parse_trajectory(trajectory_text(example()), "t.json"), example());
  Trajectory failed = example();
  failed.error = "the connection broke";
  failed.turns.clear();
  EXPECT_EQ(parse_trajectory(trajectory_text(failed), "t.json"), failed);
}

TEST(Trajectory, has_the_original_keys) {
  const auto json = parse_json(trajectory_text(example()), "t");
  EXPECT_EQ(json["schema"], "assay.trajectory/1");
  EXPECT_EQ(json["wsi_path"], "TCGA-02.svs");
  EXPECT_EQ(json["turns"][0]["step_index"], 1);
  EXPECT_EQ(json["turns"][0]["response"], "crop");
  EXPECT_EQ(json["turns"][0]["region"]["height"], 4000);
  EXPECT_TRUE(json["turns"][1]["region"].is_null());
  EXPECT_TRUE(json["turns"][1]["usage"]["input"].is_null());
  EXPECT_EQ(json["slide_height"], 80'000);
}

TEST(Trajectory, refuses_by_name_and_field) {
  auto json = parse_json(trajectory_text(example()), "t");
  const auto with = [&](const char* pointer, const Json& value) {
    auto changed = json;
    changed[Json::json_pointer(pointer)] = value;
    return refusal(to_text(changed));
  };
  EXPECT_THAT(refusal("[]"), HasSubstr("t.json: is not a trajectory"));
  EXPECT_THAT(refusal("{"), HasSubstr("t.json"));
  EXPECT_THAT(with("/schema", "assay.qa/1"), HasSubstr("is not a trajectory"));
  EXPECT_THAT(with("/turns", 3), HasSubstr("trajectory.turns must be a list"));
  EXPECT_THAT(with("/turns/1", "x"), HasSubstr("turns[1] must be an object"));
  EXPECT_THAT(with("/turns/0/step_index", -1), HasSubstr("turns[0].step_index must be a whole"));
  EXPECT_THAT(with("/turns/0/step_index", 1e9), HasSubstr("must be a whole number"));
  EXPECT_THAT(with("/turns/0/region/x", "1"), HasSubstr("turns[0].region.x must be"));
  EXPECT_THAT(with("/turns/0/images/0/width", nullptr), HasSubstr("images[0].width must be"));
  EXPECT_THAT(with("/turns/0/usage/output", 1.5), HasSubstr("usage.output must be"));
  EXPECT_THAT(with("/turns/0/usage/output", 18446744073709551615U), HasSubstr("must be"));
  EXPECT_THAT(with("/turns/0/cost_usd", "free"), HasSubstr("cost_usd must be a number"));
  EXPECT_THAT(refusal(replaced(to_text(json), "\"cost_usd\": ", "\"cost_usd\": -1e999, \"x\": ")),
              HasSubstr("cost_usd must be a number"));
  EXPECT_THAT(with("/question", 3), HasSubstr("trajectory.question must be a text"));
}

TEST(Trajectory, names_are_safe_and_apart) {
  EXPECT_EQ(safe_file_name("item_123.test-run"), "item_123.test-run");
  EXPECT_EQ(safe_file_name(""), "item");
  EXPECT_EQ(safe_file_name("é"), "item");
  EXPECT_EQ(safe_file_name("../../etc/passwd"), "etc_passwd");
  EXPECT_EQ(safe_file_name(std::string(500, 'x')).size(), 100U);
  EXPECT_EQ(trajectory_name("tcga", "TCGA-02-0266", 0), "tcga_TCGA-02-0266_run0.json");
  EXPECT_THAT(trajectory_name("t", "a/b", 1), testing::MatchesRegex("t_a_b-[0-9a-f]+_run1.json"));
  EXPECT_NE(trajectory_name("t", "a/b", 0), trajectory_name("t", "a b", 0));
  EXPECT_NE(trajectory_name("t", "", 0), trajectory_name("t", "item", 0));
  EXPECT_NE(trajectory_name("a_b", "c", 0), trajectory_name("a", "b_c", 0));
}

}  // namespace trajectory_test
