// SPDX-License-Identifier: Apache-2.0
#include "assay/results/foreign/bids_derivatives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assay/base/bids.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"

namespace bids_derivatives_test {

using namespace assay;
using namespace assay::results;
using testing::HasSubstr;

metrics::SegmentationResult two_cases() {
  metrics::ScoreSettings settings;
  settings.metrics = metrics::chosen_metrics("dice,hd95");
  metrics::CaseRecord scored = {.id = "sub-01", .fate = metrics::Fate::scored, .error = ""};
  scored.reference = "sub-01/anat/sub-01_mask.nii.gz";
  scored.groups = {{"site", "A\tB"}, {"status", "patient"}};
  scored.counts["foreground"] = {.tp = 10, .fp = 10, .fn = 10, .tn = 70};
  metrics::CaseRecord failed = {.id = "sub-02", .fate = metrics::Fate::failed, .error = "broken"};
  failed.reference = "sub-02/anat/sub-02_mask.nii.gz";
  return metrics::scored(settings, {scored, failed});
}

std::string table(const metrics::SegmentationResult& result) {
  std::string text;
  write_bids_table(result, result.cases, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(BidsNames, entities_come_in_the_order_of_the_schema) {
  EXPECT_EQ(bids_metrics_path("sub-01/ses-2/anat/sub-01_ses-2_space-T1w_run-1_label-lesion_mask",
                              "my-net 3"),
            "sub-01/ses-2/anat/sub-01_ses-2_run-1_space-T1w_label-lesion_desc-mynet3_metrics.tsv");
}

TEST(BidsNames, desc_is_the_model_and_what_bids_does_not_know_is_left_out) {
  EXPECT_EQ(bids_metrics_path("sub-A_rater-1_desc-manual_dseg", "net"),
            "sub-A/anat/sub-A_desc-net_metrics.tsv");
  EXPECT_EQ(bids_metrics_path("sub-A/dwi/sub-A_desc-x_mask", "net"),
            "sub-A/dwi/sub-A_desc-net_metrics.tsv");
}

TEST(BidsNames, suffixes_tell_segmentations) {
  EXPECT_TRUE(is_bids_segmentation("sub-1/anat/sub-1_desc-net_mask"));
  EXPECT_TRUE(is_bids_segmentation("sub-1_dseg"));
  EXPECT_FALSE(is_bids_segmentation("sub-1_T1w"));
  EXPECT_FALSE(is_bids_segmentation("sub-1_label-mask"));
  EXPECT_FALSE(is_bids_segmentation("sub-1_mask/sub-1_T1w"));
  EXPECT_EQ(bids_suffix("sub-1_desc-x"), "");
}

TEST(BidsNames, what_cannot_be_named_is_refused) {
  EXPECT_THROW(bids_metrics_path("case1_mask", "net"), Error);
  EXPECT_THROW(bids_label("---"), Error);
}

TEST(BidsNames, the_table_has_each_entity_once_and_those_that_ids_use) {
  const std::set<std::string_view> once(std::begin(bids_entities), std::end(bids_entities));
  EXPECT_EQ(once.size(), std::size(bids_entities));
  EXPECT_EQ(bids_entities[0], "sub");
  EXPECT_EQ(bids_entities[std::size(bids_entities) - 1], "desc");
  const auto place = [](std::string_view key) {
    return std::ranges::find(bids_entities, key) - std::begin(bids_entities);
  };
  // Some neighbours in the specification's table of entities.
  EXPECT_LT(place("ses"), place("sample"));
  EXPECT_LT(place("acq"), place("ce"));
  EXPECT_LT(place("dir"), place("run"));
  EXPECT_LT(place("run"), place("space"));
  EXPECT_LT(place("res"), place("den"));
  EXPECT_LT(place("den"), place("label"));
}

TEST(BidsTable, has_a_line_for_each_label_and_says_what_is_missing) {
  EXPECT_EQ(table(two_cases()),
            "participant_id\tcase_id\tlabel\tstatus\tsite\tgroup_status\tdice\thd95\n"
            "sub-01\tsub-01\tforeground\tok\tA B\tpatient\t0.5\tn/a\n"
            "sub-02\tsub-02\tn/a\tfailed\tn/a\tn/a\tn/a\tn/a\n");
}

TEST(BidsTable, the_sidecar_describes_every_column) {
  const auto result = two_cases();
  const Json sidecar = parse_json(bids_sidecar(result), "sidecar");
  const std::string text = table(result), header = text.substr(0, text.find('\n'));
  for (const std::string_view column : parts_of(header, '\t')) {
    ASSERT_TRUE(sidecar.contains(column)) << column;
    EXPECT_FALSE(sidecar[std::string(column)]["Description"].get<std::string>().empty());
  }
  EXPECT_EQ(sidecar["hd95"]["Units"], "mm");
}

TEST(BidsDescription, says_that_the_dataset_is_derived_and_by_what) {
  const Json file = parse_json(bids_description("1.2.3"), "dataset_description.json");
  EXPECT_EQ(file["DatasetType"], "derivative");
  EXPECT_EQ(file["GeneratedBy"][0]["Version"], "1.2.3");
  for (const char* key : {"Name", "BIDSVersion"}) EXPECT_TRUE(file.contains(key));
}

}  // namespace bids_derivatives_test
