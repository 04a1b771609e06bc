// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/core/error.hpp"
#include "assay/io/cross_validation.hpp"
#include "assay/io/results.hpp"

using namespace assay;
using testing::ElementsAre;

TEST(ResultsFolds, what_was_pooled_is_read_back) {
  const std::vector<FoldRun> runs = {
      {.file = "a",
       .outer_fold = 0,
       .ids = {"y", "x"},
       .columns = {{"dice", {0.4, 0.1}}, {"avd", {0.2, {}}}}},
      {.file = "b", .outer_fold = 1, .ids = {"z"}, .columns = {{"dice", {0.7}}, {"avd", {{}}}}}};
  RunFolders folders;
  folders.name = "model";
  const std::string text = experiment_text(cross_validated(runs, Restarts::mean), folders, {});
  const auto tables = parse_results(text, "e.json");
  ASSERT_EQ(tables.size(), 1U);
  const ResultTable& table = tables.front();
  EXPECT_EQ(table.model_name, "model");
  EXPECT_THAT(table.ids, ElementsAre("x", "y", "z"));
  EXPECT_THAT(column_of(table.averages, "dice")->values, ElementsAre(0.1, 0.4, 0.7));
  EXPECT_THAT(column_of(table.averages, "avd")->values,
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
