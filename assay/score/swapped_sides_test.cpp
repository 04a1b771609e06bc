// SPDX-License-Identifier: Apache-2.0
#include "assay/score/swapped_sides.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/base/temporary_folder.hpp"
#include "assay/error.hpp"

namespace swapped_sides_test {

using namespace assay;
using namespace assay::score;
using ::testing::HasSubstr;

bool warns(const std::string& prediction, const std::string& reference,
           const std::string& model = "") {
  return swap_warning({.prediction = prediction, .reference = reference, .model_name = model})
      .has_value();
}

TEST(SwappedSides, names_tell) {
  for (const char* name :
       {"labelsTr", "labelsTs", "labels", "gt", "GT", "ground_truth", "groundTruth", "groundtruth",
        "reference", "manual", "manual_masks", "derivatives/rater1", "test/gt", "gt.nii.gz"}) {
    EXPECT_TRUE(warns(name, "predictions")) << name;
    EXPECT_TRUE(warns(name, "meshnet")) << name;
    EXPECT_FALSE(warns("predictions", name)) << name;
    EXPECT_FALSE(warns("meshnet", name)) << name;
    EXPECT_TRUE(warns("data", "predictions")) << "the other side alone";
  }
}

TEST(SwappedSides, no_alarm_where_both_sides_look_alike) {
  EXPECT_FALSE(warns("rater1", "consensus"));
  EXPECT_FALSE(warns("labelsTr_second", "labelsTr"));
  EXPECT_FALSE(warns("predictions_a", "predictions_b"));
  EXPECT_FALSE(warns("a", "b"));
  EXPECT_FALSE(warns("gt_study/a", "gt_study/b")) << "a folder that both are in says nothing";
  EXPECT_FALSE(warns("predicted_labels", "data/masks"));
  EXPECT_FALSE(warns("labels/predictions", "data")) << "the nearest name counts";
  EXPECT_FALSE(warns("gtv", "masks")) << "a word within a word is another word";
  EXPECT_FALSE(warns("same", "same"));
}

TEST(SwappedSides, the_name_of_the_model_tells) {
  EXPECT_TRUE(warns("a", "b", "labelsTr"));
  EXPECT_FALSE(warns("a", "labelsTr", "labelsTr"));
  EXPECT_FALSE(warns("a", "b", "meshnet"));
}

TEST(SwappedSides, what_a_folder_holds_tells) {
  const TemporaryFolder folder;
  const auto a = folder.path() / "a", b = folder.path() / "b";
  create_directory(a);
  create_directory(b);
  std::ofstream(b / "plans.json") << "{}";
  EXPECT_EQ(swap_warning({.prediction = a, .reference = b}),
            "predictions and references look swapped: 'a' was given as the prediction, "
            "'b/plans.json' as the reference; the prediction comes first");
  EXPECT_FALSE(swap_warning({.prediction = b, .reference = a}));
  std::ofstream(b / "predict_from_raw_data_args.json") << "{}";
  EXPECT_THROW(swap_warning({.prediction = a, .reference = b}), Error);
}

}  // namespace swapped_sides_test
