// SPDX-License-Identifier: Apache-2.0
#include "assay/results/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/results/cross_validation.hpp"

namespace runs_test {

using namespace assay;
using namespace assay::results;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr FoldName place = {.outer_fold = 1, .restart = 2};

std::string refusal(std::string_view text) {
  return test::refusal([&] { parse_run(text, "f.json", place); });
}

TEST(Runs, names_of_fold_folders) {
  struct {
    const char* name;
    std::optional<std::pair<std::size_t, std::optional<std::size_t>>> fold;
  } cases[] = {
      {"fold_0", {{0, {}}}},
      {"fold_12_restart_9", {{12, 9}}},
      {"fold_07", {{7, {}}}},
      {"fold_", {}},
      {"fold_1x", {}},
      {"fold_1_restart_", {}},
      {"fold_1_restart_2.bak", {}},
      {"fold_-1", {}},
      {"fold_1000", {}},
      {"Fold_1", {}},
      {"my_fold_1", {}},
      {"fold_99999999999999999999", {}},
      {"fold_1_restart_1000", {}},
  };
  for (const auto& c : cases) {
    const auto found = fold_name(c.name);
    ASSERT_EQ(found.has_value(), c.fold.has_value()) << c.name;
    if (!found) continue;
    EXPECT_EQ(found->outer_fold, c.fold->first) << c.name;
    EXPECT_EQ(found->restart, c.fold->second) << c.name;
    EXPECT_FALSE(found->all);
  }
  EXPECT_TRUE(fold_name("fold_all")->all);
}

TEST(Runs, a_run_as_python_writes_it) {
  const compare::FoldRun run = parse_run(
      R"({"outer_fold": 1, "restart": 2, "seed": 44, "test_dice": 0.5, "test_avd": Infinity,
          "final_train_loss": 0.06, "duration_seconds": 12.5,
          "per_subject_dice": [0.4, 0.6, NaN], "per_subject_avd": [0.1, Infinity, null],
          "subject_indices": [4, 9, 2], "subject_ids": ["a", "b", "c"]})",
      "f.json", place);
  EXPECT_EQ(run.outer_fold, 1U);
  EXPECT_EQ(run.restart, 2U);
  EXPECT_EQ(run.seed, 44);
  EXPECT_EQ(run.final_train_loss, 0.06);
  EXPECT_EQ(run.duration_seconds, 12.5);
  EXPECT_THAT(run.ids, ElementsAre("a", "b", "c"));
  EXPECT_THAT(run.indices, ElementsAre(4, 9, 2));
  ASSERT_EQ(run.columns.size(), 2U);
  EXPECT_EQ(run.columns[0].name, "dice");
  EXPECT_THAT(run.columns[0].values, ElementsAre(0.4, 0.6, std::nullopt));
  EXPECT_THAT(run.columns[1].values, ElementsAre(0.1, std::nullopt, std::nullopt));
  EXPECT_THAT(run.recorded, ElementsAre(std::pair<std::string, double>("dice", 0.5)));
}

TEST(Runs, a_results_file_is_a_run_when_it_names_its_cases) {
  const compare::FoldRun run = parse_run(
      R"({"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"dice": {}, "iou": {}},
          "cases": [{"id": "a", "status": "ok", "label": {"1": {"dice": 0.5, "iou": 0.3}}}]})",
      "f.json", place);
  EXPECT_THAT(run.ids, ElementsAre("a"));
  ASSERT_EQ(run.columns.size(), 1U);  // of the paper's metrics only dice is there
  EXPECT_THAT(run.columns[0].values, ElementsAre(0.5));
}

TEST(Runs, what_is_no_run_is_refused_with_the_field) {
  constexpr const char* cases[][2] = {
      {"{", "f.json: not valid JSON"},
      {"[1]", "not a results file"},
      {R"({"test_dice": 0.5})", "has means only"},
      {R"({"per_subject_dice": [0.5]})", "neither subject_ids nor subject_indices"},
      {R"({"per_subject_dice": [], "subject_ids": []})", "tests no subject"},
      {R"({"per_subject_dice": 0.5, "subject_ids": ["a"]})", "per_subject_dice is not a list"},
      {R"({"per_subject_dice": ["x"], "subject_ids": ["a"]})", "a value that is not a number"},
      {R"({"per_subject_dice": [1], "subject_ids": ["a", "b"]})",
       "subject_ids has 2 entries where per_subject_dice has 1"},
      {R"({"per_subject_dice": [1], "per_subject_avd": [], "subject_ids": ["a"]})",
       "per_subject_avd has 0 entries"},
      {R"({"per_subject_dice": [1], "subject_ids": [7]})", "subject_ids is not a list of names"},
      {R"({"per_subject_dice": [1], "subject_indices": ["a"]})", "not a list of whole numbers"},
      {R"({"per_subject_dice": [1], "subject_ids": ["a"], "outer_fold": 3})",
       "says outer_fold 3, but its folder says 1"},
      {R"({"per_subject_dice": [1], "subject_ids": ["a"], "restart": 0})",
       "says restart 0, but its folder says 2"},
      {R"({"per_subject_dice": [1], "subject_ids": ["a"], "seed": "x"})",
       "seed is not a whole number"},
      {R"({"model_name": "m", "dice": {"values": [1]}, "avd": {"values": [1]},
           "mcc": {"values": [1]}})",
       "names no cases"},
  };
  for (const auto& [text, says] : cases) {
    EXPECT_THAT(refusal(text), HasSubstr(says)) << text;
    EXPECT_THAT(refusal(text), testing::StartsWith("f.json: ")) << text;
  }
}

}  // namespace runs_test
