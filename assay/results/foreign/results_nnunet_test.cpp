// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/results/test_results.hpp"

namespace results_nnunet_test {

using namespace assay;
using namespace assay::results;
using namespace assay::test;
using testing::HasSubstr;

constexpr const char* version_2 = R"json({
    "foreground_mean": {"Dice": 0.6},
    "mean": {"1": {"Dice": 0.6}},
    "metric_per_case": [
        {"metrics": {
            "1": {"Dice": 0.5, "FN": 10, "FP": 10, "IoU": 0.25, "TN": 70, "TP": 10,
                  "n_pred": 20, "n_ref": 20},
            "(1, 2)": {"Dice": NaN, "FN": 0, "FP": 0, "IoU": NaN, "TN": 100, "TP": 0,
                       "n_pred": 0, "n_ref": 0}},
         "prediction_file": "/out/case_1.nii.gz", "reference_file": "/data/labels/case_1.nii.gz"},
        {"metrics": {
            "1": {"Dice": 1.0, "FN": 0, "FP": 0, "IoU": 1.0, "TN": 90, "TP": 10,
                  "n_pred": 10, "n_ref": 10},
            "(1, 2)": {"Dice": 0.0, "FN": 0, "FP": 4, "IoU": 0.0, "TN": 96, "TP": 0,
                       "n_pred": 4, "n_ref": 0}},
         "prediction_file": "/out/case_2.nii.gz", "reference_file": "/data/labels/case_2.nii.gz"}
    ]})json";

constexpr const char* version_1 = R"({"author": "a", "name": "trainer", "task": "t",
    "results": {"all": [
        {"0": {"Dice": 0.99, "Jaccard": 0.9}, "1": {"Dice": 0.5, "Jaccard": 0.25, "Precision": NaN,
         "True Negative Rate": 0.75, "Total Positives Test": 12},
         "reference": "C:\\data\\a.nii.gz", "test": "/out/a.nii.gz"}],
      "mean": {"1": {"Dice": 0.5}}}})";

std::string summary_of(const char* path) {
  return parsed(version_2, path).model_name;
}

TEST(ReadNnunet, cases_labels_and_its_own_values) {
  const compare::ResultTable t = parsed(version_2, "runs/net/fold_0/validation/summary.json");
  EXPECT_EQ(t.model_name, "net");
  EXPECT_EQ(t.ids, (Texts{"case_1", "case_2"}));
  EXPECT_EQ(t.averages.front().name, "dice");
  EXPECT_EQ(t.averages.front().values, (Values{0.5, 0.5}));
  EXPECT_EQ(values_of(t.averages, "iou"), (Values{0.25, 0.5}));
  EXPECT_EQ(values_of(compare::columns_of(t, "(1, 2)"), "dice"), (Values{none, 0.0}));
}

TEST(ReadNnunet, counts_give_what_they_decide) {
  const compare::ResultTable t = parsed(version_2);
  const auto& one = compare::columns_of(t, "1");
  EXPECT_EQ(values_of(one, "avd"), (Values{0.0, 0.0}));
  EXPECT_EQ(values_of(one, "recall"), (Values{0.5, 1.0}));
  EXPECT_EQ(values_of(one, "accuracy"), (Values{0.8, 1.0}));
  EXPECT_EQ(values_of(one, "dice_macro"), (Values{(0.5 + 140.0 / 160) / 2, 1.0}));
  EXPECT_NEAR(values_of(one, "mcc")[0].value(), (10.0 * 70 - 100) / (20 * 80), 1e-15);
  EXPECT_EQ(values_of(compare::columns_of(t, "(1, 2)"), "avd"), (Values{0.0, none}));
  EXPECT_EQ(compare::column_of(one, "fp_volume_ml"), nullptr);  // the voxel's volume is not known
  EXPECT_EQ(compare::column_of(one, "TP"), nullptr);
}

TEST(ReadNnunet, the_model_is_the_folder_that_tells) {
  EXPECT_EQ(summary_of("/r/Dataset1/net__3d/fold_0/validation/summary.json"), "net__3d");
  EXPECT_EQ(summary_of("a/preds/summary.json"), "preds");
  EXPECT_EQ(summary_of("net/crossval_results_folds_0_1_2_3_4/postprocessed/summary.json"), "net");
  EXPECT_EQ(summary_of("r\\net\\fold_all\\validation\\summary.json"), "net");
  EXPECT_EQ(summary_of("fold_1/validation/summary.json"), "fold_1");
  EXPECT_EQ(summary_of("../validation/summary.json"), "validation");
  EXPECT_EQ(summary_of("/summary.json"), "summary");
  EXPECT_EQ(summary_of("summary.json"), "summary");
}

TEST(ReadNnunet, version_1_scores_the_background_which_is_not_averaged) {
  const compare::ResultTable t = parsed(version_1);
  EXPECT_EQ(t.model_name, "trainer");
  EXPECT_EQ(t.ids, (Texts{"a"}));
  EXPECT_EQ(values_of(t.averages, "dice"), (Values{0.5}));
  EXPECT_EQ(values_of(t.averages, "iou"), (Values{0.25}));
  EXPECT_EQ(values_of(t.averages, "precision"), (Values{none}));
  EXPECT_EQ(values_of(t.averages, "specificity"), (Values{0.75}));
  EXPECT_EQ(values_of(t.averages, "Total Positives Test"), (Values{12.0}));
  EXPECT_EQ(values_of(compare::columns_of(t, "0"), "dice"), (Values{0.99}));
}

TEST(ReadNnunet, names_that_are_not_unique_keep_their_folders) {
  const auto with = [](const char* a, const char* b) {
    const std::string one = R"({"metrics": {"1": {"Dice": 1}}, "reference_file": ")";
    return parsed(R"({"metric_per_case": [)" + one + a + "\"}," + one + b + "\"}]}").ids;
  };
  EXPECT_EQ(with("/d/sub-1/mask.nii", "/d/sub-2/mask.nii"), (Texts{"sub-1/mask", "sub-2/mask"}));
  EXPECT_EQ(with("x/a.nrrd", "y/b.png"), (Texts{"a", "b"}));
}

TEST(ReadNnunet, without_files_there_are_no_ids) {
  const compare::ResultTable t =
      parsed(R"({"metric_per_case": [{"metrics": {"1": {"Dice": 1}}}]})");
  EXPECT_TRUE(t.ids.empty());
  EXPECT_EQ(t.cases, 1U);
}

TEST(ReadNnunet, reads_back_what_we_write_in_its_layout) {
  const metrics::SegmentationResult result =
      cohort_of(settings_for("dice,iou,avd,mcc,recall", "nnunet"), 3);
  const compare::ResultTable table = parsed(nnunet_summary(result));
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const std::string_view key = result.settings.metrics[m]->name;
    EXPECT_EQ(values_of(table.averages, key), values_of(metrics::case_averages(result, m))) << key;
    for (std::size_t r = 0; r < result.regions.size(); ++r)
      EXPECT_EQ(values_of(table.labels[r].columns, key),
                values_of(metrics::region_scores(result, m, r)));
  }
  EXPECT_EQ(table.ids.front(), "sub-0");
}

TEST(ReadNnunet, faults_are_named) {
  const auto with = [](const std::string& metrics) {
    return refusal_of(R"({"metric_per_case": [{"metrics": {"1": )" + metrics +
                      R"(}, "reference_file": "a.nii"}]})");
  };
  EXPECT_THAT(with(R"({"TP": -1})"), HasSubstr("'TP' before this is not a count"));
  EXPECT_THAT(with(R"({"FN": 1.5})"), HasSubstr("not a count"));
  EXPECT_THAT(with(R"({"FN": Infinity})"), HasSubstr("not a count"));
  EXPECT_THAT(with("3"), HasSubstr("'1' is a number, where an object is needed"));
  EXPECT_THAT(refusal_of(R"({"metric_per_case": []})", "p/summary.json"),
              HasSubstr("p/summary.json: lists no case of model p"));
  EXPECT_THAT(refusal_of(R"({"results": {"mean": {}}})"), HasSubstr("'results' has no 'all'"));
  const std::string twice = R"({"metrics": {"1": {"Dice": 1}}, "reference_file": "a.nii"})";
  EXPECT_THAT(refusal_of(R"({"metric_per_case": [)" + twice + "," + twice + "]}"),
              HasSubstr("case 'a' appears twice"));
}

}  // namespace results_nnunet_test
