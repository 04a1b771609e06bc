// SPDX-License-Identifier: Apache-2.0
#include "assay/results/cross_validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.hpp"
#include "assay/results.hpp"

namespace cross_validation_test {

using namespace assay;
using namespace assay::results;
using testing::ElementsAre;

TEST(ResultsFolds, what_was_pooled_is_read_back) {
  const std::vector<compare::FoldRun> runs = {
      {.file = "a",
       .outer_fold = 0,
       .ids = {"y", "x"},
       .columns = {{"dice", {0.4, 0.1}}, {"avd", {0.2, {}}}}},
      {.file = "b", .outer_fold = 1, .ids = {"z"}, .columns = {{"dice", {0.7}}, {"avd", {{}}}}}};
  RunFolders folders;
  folders.name = "model";
  const std::string text =
      experiment_text(compare::cross_validated(runs, compare::Restarts::mean), folders, {});
  const auto tables = parse_results(text, "e.json");
  ASSERT_EQ(tables.size(), 1U);
  const compare::ResultTable& table = tables.front();
  EXPECT_EQ(table.model_name, "model");
  EXPECT_THAT(table.ids, ElementsAre("x", "y", "z"));
  EXPECT_THAT(compare::column_of(table.averages, "dice")->values, ElementsAre(0.1, 0.4, 0.7));
  EXPECT_THAT(compare::column_of(table.averages, "avd")->values,
              ElementsAre(std::nullopt, 0.2, std::nullopt));
  ASSERT_EQ(table.groups.size(), 1U);
  EXPECT_EQ(table.groups[0].first, "outer_fold");
  EXPECT_THAT(table.groups[0].second, ElementsAre("0", "0", "1"));
}

TEST(ResultsFolds, broken_cases_are_refused) {
  for (const char* text :
       {R"({"schema": "assay.folds/1", "model_name": "m", "cases": [{"dice": 0.5}]})",
        R"({"schema": "assay.folds/1", "model_name": "m", "cases": []})",
        R"({"schema": "assay.folds/1", "model_name": "m",
            "cases": [{"id": "a", "outer_fold": 1e300, "dice": 1}]})"})
    EXPECT_THROW(parse_results(text, "e.json"), Error) << text;
}

TEST(ResultsRun, one_run_is_a_table_of_its_subjects) {
  const auto tables = parse_results(
      R"({"outer_fold": 0, "subject_ids": ["s2", "s1"], "per_subject_dice": [0.9, NaN],
          "per_subject_avd": [0.1, Infinity], "per_subject_note": "x"})",
      "runs/fold_0_restart_1/results.json");
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].model_name, "fold_0_restart_1");
  EXPECT_THAT(tables[0].ids, ElementsAre("s2", "s1"));
  EXPECT_THAT(compare::column_of(tables[0].averages, "dice")->values,
              ElementsAre(0.9, std::nullopt));
  EXPECT_EQ(compare::column_of(tables[0].averages, "avd")->values[1],
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE(parse_results(R"({"per_subject_dice": [0.9]})", "r.json")[0].ids.empty());
  for (const char* text :
       {R"({"per_subject_dice": [0.9], "per_subject_avd": [0.1, 0.2]})",
        R"({"per_subject_dice": [0.9, 0.1], "per_subject_avd": [0.1]})",
        R"({"per_subject_dice": [0.9], "subject_ids": ["a", "b"]})",
        R"({"per_subject_dice": [0.9, 0.8], "subject_ids": ["a"]})", R"({"per_subject_dice": []})"})
    EXPECT_THROW(parse_results(text, "r.json"), Error) << text;
}

}  // namespace cross_validation_test
