// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace models_test {

using namespace assay;
using namespace assay::compare;

using test::refusal;
using testing::ElementsAre;
using testing::HasSubstr;

ResultTable table(const std::string& model, const std::string& source) {
  ResultTable t;
  t.model_name = model;
  t.source = source;
  return t;
}

using Tables = std::vector<ResultTable>;

std::vector<std::string> names(const Tables& tables) {
  std::vector<std::string> notes, found;
  for (const ResultTable& t : named_apart(tables, notes)) found.push_back(t.model_name);
  return found;
}

TEST(Models, equal_names_become_those_of_the_files) {
  EXPECT_THAT(names({table("m", "a.json"), table("n", "b.json")}), ElementsAre("m", "n"));
  EXPECT_THAT(names({table("m", "x/a.json"), table("m", "x/b.json")}), ElementsAre("a", "b"));
  EXPECT_THAT(names({table("m", "x/r.json"), table("m", "y/r.json"), table("n", "r.json")}),
              ElementsAre("x/r", "y/r", "n"));
  EXPECT_THAT(names({table("m", "/x/1/v/s.json"), table("m", "/x/2/v/s.json")}),
              ElementsAre("1/v/s", "2/v/s"));
}

TEST(Models, a_model_is_not_compared_with_itself) {
  EXPECT_THAT(refusal([] {
                names({table("m", "a.json"), table("m", "a.json")});
              }),
              HasSubstr("a model cannot be compared with itself"));
  EXPECT_THAT(refusal([] { names({table("m", "a.json")}); }), HasSubstr("holds one model"));
  EXPECT_THAT(refusal([] { names({}); }), HasSubstr("at least two results files"));
}

TEST(Models, the_baseline_is_a_name_or_a_file) {
  const Tables two = {table("unet", "u.json"), table("meshnet", "runs/m.json")};
  EXPECT_EQ(baseline_among(two, ""), 0U);
  EXPECT_EQ(baseline_among(two, "meshnet"), 1U);
  EXPECT_EQ(baseline_among(two, "runs/m.json"), 1U);
  EXPECT_EQ(baseline_among(two, "m"), 1U);
  EXPECT_THAT(refusal([&] { baseline_among(two, "mesnet"); }),
              HasSubstr("no model is called 'mesnet'; did you mean 'meshnet'? (models: unet, "));
  const Tables three = {two[0], two[1], table("vnet", "v.json")};
  EXPECT_THAT(refusal([&] { baseline_among(three, ""); }),
              HasSubstr("which of the 3 models is the baseline"));
}

using testing::HasSubstr;

const std::vector<metrics::Region> labels = {{"1", "core", {1}}, {"2", "2", {2}}};
const std::vector<metrics::Region> regions = {{"whole", "whole", {1, 2}, true},
                                              {"core", "core", {1}, true}};

std::vector<std::string> notes_on(const std::vector<metrics::Region>& a,
                                  const std::vector<metrics::Region>& b) {
  std::vector<std::string> notes;
  const std::vector<AveragedFile> files = {{"a.json", a}, {"b.json", b}};
  require_same_averages(files, notes);
  return notes;
}

TEST(Averaged, the_same_labels_by_key_name_or_members) {
  EXPECT_TRUE(notes_on(labels, labels).empty());
  EXPECT_TRUE(notes_on(labels, {{"2", "2", {}}, {"core", "core", {}}}).empty());
  EXPECT_TRUE(
      notes_on(regions, {{"(1, 2)", "(1, 2)", {1, 2}, true}, {"1", "1", {1}, true}}).empty());
  EXPECT_TRUE(notes_on(labels, {}).empty()) << "a table without labels says nothing";
}

TEST(Averaged, different_things_are_refused_by_name) {
  try {
    notes_on(labels, regions);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::usage);
    EXPECT_THAT(e.what(), HasSubstr("that of a.json is over labels 1, 2, that of b.json is over "
                                    "regions whole, core"));
    EXPECT_THAT(e.what(), HasSubstr("--label"));
  }
  EXPECT_THROW(notes_on(labels, {labels.front()}), Error);
  EXPECT_THROW(notes_on({labels.front()}, {labels.back()}), Error);
}

TEST(Averaged, one_label_and_the_foreground_may_be_the_same) {
  EXPECT_EQ(notes_on({metrics::foreground_region()}, {labels.front()}).size(), 1U);
  EXPECT_THROW(notes_on({metrics::foreground_region()}, labels), Error);
}

}  // namespace models_test
