// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/compare.hpp"

namespace matching_test {

using namespace assay;
using namespace assay::compare;
using testing::ElementsAre;
using testing::HasSubstr;

ResultTable table(const std::string& model, std::vector<std::string> ids) {
  ResultTable t;
  t.model_name = model;
  t.source = model + ".json";
  t.cases = ids.size();
  t.ids = std::move(ids);
  return t;
}

std::string refusal(const std::vector<ResultTable>& tables, const MatchOptions& options = {}) {
  return test::refusal([&] { matched_cases(tables, options); });
}

TEST(Matching, pairs_by_id_in_any_order) {
  const std::vector<ResultTable> tables = {table("a", {"y", "x"}), table("b", {"x", "y"})};
  const Matching found = matched_cases(tables, {});
  EXPECT_THAT(found.ids, ElementsAre("x", "y"));
  EXPECT_THAT(found.places[0], ElementsAre(1, 0));
  EXPECT_THAT(found.places[1], ElementsAre(0, 1));
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Matching, different_cases_are_refused_or_left_out_with_the_reason) {
  std::vector<ResultTable> tables = {table("a", {"x", "y"}), table("b", {"y", "z"})};
  tables[1].unscored = {{"x", "prediction missing"}};
  const std::string message = refusal(tables);
  EXPECT_THAT(message, HasSubstr("'x' has no score of b (prediction missing)"));
  EXPECT_THAT(message, HasSubstr("'z' has no score of a (not in a.json)"));
  EXPECT_THAT(message, HasSubstr("--intersect compares the 1 case"));
  const Matching found = matched_cases(tables, {.intersect = true});
  EXPECT_THAT(found.ids, ElementsAre("y"));
  ASSERT_EQ(found.left_out.size(), 2U);
  EXPECT_EQ(found.left_out[0].reason, "prediction missing");
}

TEST(Matching, nothing_in_common_is_refused_even_then) {
  const std::vector<ResultTable> tables = {table("a", {"x"}), table("b", {"y"})};
  EXPECT_THAT(refusal(tables, {.intersect = true}),
              HasSubstr("no case is in all of them; spell the ids the same way in all files"));
}

TEST(Matching, many_differences_are_counted) {
  const std::vector<ResultTable> tables = {table("a", {"1", "2", "3", "4", "5", "6", "7", "8"}),
                                           table("b", {"8"})};
  EXPECT_THAT(refusal(tables), HasSubstr("and 2 more"));
}

TEST(Matching, repeated_and_absent_ids) {
  EXPECT_THAT(refusal({table("a", {"x", "x"}), table("b", {"x"})}),
              HasSubstr("a.json: the case id 'x' occurs twice"));
  std::vector<ResultTable> tables = {table("a", {}), table("b", {})};
  tables[0].cases = tables[1].cases = 2;
  EXPECT_THAT(refusal(tables), HasSubstr("a.json: has no case ids; --by-position"));
  EXPECT_THAT(matched_cases(tables, {.by_position = true}).ids, ElementsAre("1", "2"));
  tables[1].cases = 3;
  EXPECT_THAT(refusal(tables, {.by_position = true}),
              HasSubstr("a.json has 2 cases, b.json has 3"));
}

TEST(Matching, by_position_refuses_ids_that_differ) {
  const MatchOptions by_position = {.by_position = true};
  EXPECT_THAT(refusal({table("a", {"x", "y"}), table("b", {"y", "x"})}, by_position),
              HasSubstr("a.json and b.json both have case ids, which differ; drop the option"));
  std::vector<ResultTable> tables = {table("a", {}), table("b", {"x", "y"}),
                                     table("c", {"x", "z"})};
  tables[0].cases = 2;
  EXPECT_THAT(refusal(tables, by_position), HasSubstr("b.json and c.json both have case ids"));
  tables[0].ids = {"#1", "#2"};  // given by the report
  tables.pop_back();
  EXPECT_THAT(matched_cases(tables, by_position).places[1], ElementsAre(0, 1));
}

TEST(Matching, by_position_says_which_cases_have_no_place) {
  std::vector<ResultTable> tables = {table("a", {"x", "y"}), table("b", {"x", "y"})};
  EXPECT_TRUE(matched_cases(tables, {.by_position = true}).notes.empty());
  tables[1].unscored = {{"z", "prediction missing"}};
  EXPECT_THAT(matched_cases(tables, {.by_position = true}).notes,
              ElementsAre("b.json: --by-position leaves out 1 case without a score"));
}

TEST(Matching, paths_of_a_bids_tree_become_the_entities_of_another_file) {
  std::vector<ResultTable> tables = {
      table("old", {"sub-1/ses-1/anat/sub-1_ses-1_mask", "sub-1/ses-2/anat/sub-1_ses-2_mask"}),
      table("new", {"sub-1_ses-2", "sub-1_ses-1"})};
  tables[0].unscored = {{"sub-2/ses-1/anat/sub-2_ses-1_mask", "lost"}};
  use_entity_ids(tables);
  EXPECT_THAT(tables[0].ids, ElementsAre("sub-1_ses-1", "sub-1_ses-2"));
  EXPECT_EQ(tables[0].file_ids.front(), "sub-1/ses-1/anat/sub-1_ses-1_mask");
  EXPECT_EQ(tables[0].unscored.front().id, "sub-2_ses-1");
  EXPECT_THAT(matched_cases(tables, {}).places[1], ElementsAre(1, 0));
}

TEST(Matching, paths_stay_where_entities_do_not_tell_them_apart_or_nobody_has_any) {
  const std::vector<std::string> paths = {"sub-1/sub-1_ses-1", "sub-1/sub-1_ses-2"};
  std::vector<ResultTable> several = {table("old", paths), table("new", {"sub-1"})};
  std::vector<ResultTable> alike = {table("one", paths), table("other", paths)};
  for (auto* tables : {&several, &alike}) {
    use_entity_ids(*tables);
    EXPECT_EQ(tables->front().ids, paths);
    EXPECT_TRUE(tables->front().file_ids.empty());
  }
}

}  // namespace matching_test
