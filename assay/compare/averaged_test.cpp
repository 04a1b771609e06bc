// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/averaged.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.hpp"

using namespace assay;
using namespace assay::compare;
using testing::HasSubstr;

namespace {

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

}  // namespace

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
