// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/label_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace label_checks_test {

using namespace assay;
using namespace assay::metrics;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A label map of the cohort: which labels it has, each in one voxel.
using Labels = std::vector<Label>;

CaseRecord record(const std::string& id, const Labels& prediction, const Labels& reference,
                  const std::vector<Region>& regions) {
  CaseRecord out = {.id = id, .fate = Fate::scored, .error = ""};
  std::vector<JointCount> joint = {{0, 0, 10}};
  for (const Label label : prediction) joint.push_back({label, 0, 1});
  for (const Label label : reference) joint.push_back({0, label, 1});
  for (const Region& region : regions) out.counts[region.key] = confusion(joint, region);
  out.labels = occurring_labels(joint);
  return out;
}

const std::vector<Region> regions = {
    {"1", "1", {1}}, {"2", "edema", {2}}, {"whole", "whole", {1, 2}, true}};

SegmentationResult result_of(const Labels& prediction, const Labels& reference,
                             const std::vector<Region>& asked = regions) {
  ScoreSettings settings;
  settings.metrics = chosen_metrics("dice");
  settings.regions = asked;
  return scored(settings, {record("a", prediction, reference, asked), record("b", {}, {}, asked)});
}

TEST(LabelChecks, labels_that_occur_are_listed_by_side) {
  const OccurringLabels found = occurring_labels(result_of({5, 2}, {7}));
  EXPECT_THAT(found.prediction, ElementsAre(0, 2, 5));
  EXPECT_THAT(found.reference, ElementsAre(0, 7));
}

TEST(LabelChecks, a_region_is_absent_if_none_of_its_labels_occurs) {
  EXPECT_THAT(absent_regions(result_of({1}, {})), ElementsAre(regions[1]));
  EXPECT_THAT(absent_regions(result_of({9}, {8})), ElementsAre(regions[0], regions[1], regions[2]));
  EXPECT_THAT(absent_regions(result_of({1}, {2})), IsEmpty());
  EXPECT_THAT(absent_regions(result_of({1}, {1}, {{"0", "0", {0}}})), IsEmpty())
      << "the background occurs";
  EXPECT_THAT(absent_regions(result_of({}, {}, {foreground_region()})), IsEmpty());
}

TEST(LabelChecks, an_absence_names_what_does_occur) {
  EXPECT_EQ(absence({regions[1]}, {.prediction = {0, 1, 3, 4, 5, 9}, .reference = {0}}),
            "label 2 (edema) occurs in no prediction and no reference of these cases; labels that "
            "do occur: 1, 3-5, 9 in predictions, none in references");
  EXPECT_EQ(absence({regions[0], regions[2]}, {.prediction = {3, 4}, .reference = {-1, 3}}),
            "label 1 and region whole occur in no prediction and no reference of these cases; "
            "labels that do occur: 3, 4 in predictions, -1, 3 in references");
}

TEST(LabelChecks, warnings) {
  EXPECT_THAT(result_of({1, 2}, {1, 2}).warnings, IsEmpty());
  EXPECT_THAT(result_of({1, 2}, {2}).warnings,
              ElementsAre("label 1 occurs in predictions only, never in a reference"));
  EXPECT_THAT(result_of({1}, {1}).warnings,
              ElementsAre("label 2 (edema) is empty in every prediction and every reference"));
  EXPECT_THAT(
      result_of({1, 2}, {26, 27, 28}).warnings,
      ElementsAre("predictions and references have no label in common (1, 2 against 26-28); check "
                  "that both sides number their labels in the same way"));
  EXPECT_THAT(result_of({}, {1, 2}).warnings, IsEmpty()) << "an empty side is told by its scores";
}

TEST(LabelChecks, a_member_of_a_region_that_never_occurs_is_named) {
  const std::vector<Region> whole = {{"whole", "whole", {1, 8, 9}, true}};
  EXPECT_THAT(result_of({1, 9}, {1}, whole).warnings,
              ElementsAre("label 8 of region whole occurs in no prediction and no reference"));
  EXPECT_THAT(result_of({1}, {1}, whole).warnings,
              ElementsAre("labels 8, 9 of region whole occur in no prediction and no reference"));
  EXPECT_THAT(result_of({1, 8}, {1, 9}, whole).warnings, IsEmpty());
}

TEST(LabelChecks, nothing_is_said_of_cases_that_were_not_scored) {
  ScoreSettings settings;
  settings.regions = regions;
  EXPECT_THAT(scored(settings, {{.id = "a", .fate = Fate::failed, .error = "x"}}).warnings,
              IsEmpty());
}

}  // namespace label_checks_test
