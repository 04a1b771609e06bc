// SPDX-License-Identifier: Apache-2.0
#include "assay/results/segmentation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/results.hpp"
#include "assay/threads.hpp"

namespace segmentation_test {

using namespace assay;
using namespace assay::results;
using testing::HasSubstr;

metrics::CaseRecord scored_case(std::string id, const metrics::Confusion& counts) {
  metrics::CaseRecord r = {.id = std::move(id), .fate = metrics::Fate::scored, .error = {}};
  r.groups = {{"site", "A, \"B\""}};
  r.prediction = "p/x.nii";
  r.reference = "x.nii";
  r.counts = {{"foreground", counts}};
  r.voxels = counts.total();
  r.voxel_ml = 0.001;
  return r;
}

metrics::SegmentationResult cohort(bool compat = false) {
  metrics::ScoreSettings settings;
  settings.model_name = "net";
  settings.metrics = metrics::chosen_metrics("dice,avd,recall");
  settings.compat_spec = compat;
  settings.convention = &metrics::convention(compat ? "spec" : "metrics-reloaded");
  metrics::CaseRecord lost = {.id = "c", .fate = metrics::Fate::failed, .error = "it is <broken>"};
  return metrics::scored(settings, {scored_case("a", {.tp = 10, .fp = 10, .fn = 10, .tn = 70}),
                                    scored_case("b", {.fp = 5, .tn = 95}), lost});
}

Json written(bool compat = false) {
  return parse_json(results_text(cohort(compat), {}), "result");
}

TEST(ResultsFile, the_first_block_is_the_specification_s) {
  const Json file = written();
  EXPECT_EQ(file["schema"], "assay.segmentation/1");
  EXPECT_EQ(file["dice"]["name"], "DICE");
  EXPECT_EQ(file["dice"]["values"], (Json{0.5, 0.0}));
  EXPECT_EQ(file["dice"]["std"], 0.25);          // ddof 0
  EXPECT_EQ(file["mcc"]["values"][1], nullptr);  // not asked for, still there
  EXPECT_EQ(file["num_samples"], 2);
}

TEST(ResultsFile, threads_do_not_change_a_byte) {
  metrics::ScoreSettings settings = cohort().settings;
  const auto text_with = [&](const Executor& executor) {
    metrics::CaseRecords records;
    for (std::int64_t i = 0; i < 10'000; ++i)
      records.push_back(scored_case(std::to_string(100'000 + i),
                                    {.tp = i % 7, .fp = i % 11, .fn = i % 13, .tn = i}));
    const auto result = metrics::scored(settings, std::move(records), executor);
    std::string text;
    write_results_text(
        result, {}, [&](std::string_view piece) { text += piece; }, executor);
    return text;
  };
  const std::string alone = text_with({});
  EXPECT_EQ(parse_json(alone, "result")["cases"].size(), 10'000U);
  EXPECT_EQ(text_with(thread_executor(3)), alone);
}

TEST(ResultsFile, an_undefined_value_is_null_with_its_reason) {
  const Json file = written();
  const Json& b = file["cases"][1]["label"]["foreground"];
  EXPECT_EQ(b["avd"], nullptr);
  EXPECT_EQ(b["undefined"]["avd"], "reference_empty");
  EXPECT_EQ(b["status"], "reference_empty");
  EXPECT_EQ(b["evidence"]["fp"], 5);
  EXPECT_EQ(file["metrics"]["avd"]["n"], 1);
  EXPECT_EQ(file["metrics"]["avd"]["undefined"]["reference_empty"], 1);
}

TEST(ResultsFile, a_failed_case_keeps_its_reason_and_both_means_are_given) {
  const Json file = written();
  EXPECT_EQ(file["cases"][2]["status"], "failed");
  EXPECT_EQ(file["cases"][2]["error"], "it is <broken>");
  EXPECT_EQ(file["ledger"]["failed"], 1);
  EXPECT_EQ(file["metrics"]["dice"]["mean_scored_only"], 0.25);
  EXPECT_DOUBLE_EQ(file["metrics"]["dice"]["mean_missing_as_worst"].get<double>(), 0.5 / 3);
}

TEST(ResultsFile, compat_spec_writes_the_tokens_of_python) {
  const std::string text = results_text(cohort(true), {});
  EXPECT_THAT(text, HasSubstr("Infinity"));
  EXPECT_THAT(text, HasSubstr("NaN"));  // the deviation of a list with infinity in it
  EXPECT_EQ(results_text(cohort(), {}).find("Infinity"), std::string::npos);
}

TEST(ResultsFile, long_form_has_one_value_a_line) {
  EXPECT_THAT(long_csv(cohort()),
              testing::StartsWith("model,case,label,metric,value,status,site\n"
                                  "net,a,foreground,dice,0.5,ok,\"A, \"\"B\"\"\"\n"));
  EXPECT_THAT(long_csv(cohort()), HasSubstr("net,b,foreground,avd,,reference_empty,"));
  EXPECT_THAT(long_csv(cohort()), HasSubstr("net,c,,,,failed,\n"));
}

TEST(ResultsFile, nnunet_layout_has_its_keys_and_means) {
  const Json file = parse_json(nnunet_summary(cohort()), "summary");
  EXPECT_EQ(file["metric_per_case"].size(), 2U);
  EXPECT_EQ(file["metric_per_case"][0]["metrics"]["foreground"]["TP"], 10);
  EXPECT_EQ(file["foreground_mean"]["Dice"], 0.25);
  EXPECT_EQ(file["mean"]["foreground"]["n_pred"], 12.5);
}

TEST(ResultsFile, a_map_has_its_sweep_and_its_calibration) {
  metrics::CaseRecord record = scored_case("a", {.tp = 1, .fp = 2, .fn = 3, .tn = 4});
  record.probability["foreground"] = {.voxels = 10, .positives = 4};
  record.probability["foreground"].sweep[3] = {.tp = 4, .fp = 4};
  record.probability["foreground"].bins[0] = {.voxels = 10, .positives = 4, .sum = 0.5};
  metrics::ScoreSettings settings = cohort().settings;
  settings.metrics = metrics::chosen_metrics("all");
  const Json file = parse_json(results_text(metrics::scored(settings, {record}), {}), "results");
  const Json& found = file["cases"][0]["label"]["foreground"]["probability"];
  EXPECT_EQ(found["best_threshold"], 0.2);
  EXPECT_EQ(found["thresholds"][3]["precision"], 0.5);
  EXPECT_EQ(found["thresholds"][3]["recall"], 1.0);
  EXPECT_TRUE(found["thresholds"][4]["precision"].is_null());
  EXPECT_EQ(found["calibration"][0]["foreground"], 0.4);
  EXPECT_EQ(found["calibration"][0]["mean_probability"], 0.05);
  EXPECT_TRUE(found["calibration"][1]["foreground"].is_null());
  EXPECT_EQ(file["labels"]["foreground"]["threshold_sweep"]["best_threshold"], 0.2);
  record.probability.clear();
  const Json without = parse_json(results_text(metrics::scored(settings, {record}), {}), "results");
  EXPECT_FALSE(without["metrics"].contains("auroc"));
  EXPECT_FALSE(without["settings"].contains("probability"));
}

}  // namespace segmentation_test
