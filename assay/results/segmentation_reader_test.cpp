// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"
#include "assay/results/test_results.hpp"

namespace segmentation_reader_test {

using namespace assay;
using namespace assay::results;
using namespace assay::test;
using ::testing::HasSubstr;

constexpr const char* literal = R"({
  "schema": "assay.segmentation/1", "model_name": "m",
  "metrics": {"dice": {"n": 2}, "avd": {}},
  "labels": {"1": {"name": "lesion", "members": [1]}, "2": {"name": "2"}},
  "cases": [
    {"id": "a", "status": "ok", "groups": {"site": "A"}, "label": {
      "1": {"dice": 0.5, "avd": null, "status": "ok", "undefined": {"avd": "reference_empty"},
            "evidence": {"tp": 1, "dice": 7}},
      "2": {"dice": 1, "avd": null}}},
    {"id": "b", "status": "failed", "reason": "failed", "error": "broken", "label": {}},
    {"label": {"2": {"avd": 0.25, "dice": NaN}}, "groups": {"age": "7"}, "status": "ok",
     "id": "c"}]})";

/// The table says what the pipeline computed, to the last bit.
void expect_round_trip(const metrics::SegmentationResult& result,
                       const compare::ResultTable& table) {
  EXPECT_EQ(table.model_name, "net");
  EXPECT_EQ(table.source, "r.json");
  Texts ids;
  for (const metrics::CaseScores& one : result.cases)
    if (metrics::is_counted(one)) ids.push_back(one.record.id);
  EXPECT_EQ(table.ids, ids);
  EXPECT_EQ(table.cases, ids.size());
  ASSERT_EQ(table.labels.size(), result.regions.size());
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const std::string_view key = result.settings.metrics[m]->name;
    EXPECT_EQ(values_of(table.averages, key), values_of(metrics::case_averages(result, m))) << key;
    for (std::size_t r = 0; r < result.regions.size(); ++r)
      EXPECT_EQ(values_of(table.labels[r].columns, key),
                values_of(metrics::region_scores(result, m, r)))
          << key << " of label " << r;
  }
}

TEST(ReadOurs, cases_labels_groups_and_what_was_not_scored) {
  const compare::ResultTable t = parsed(literal);
  EXPECT_EQ(t.model_name, "m");
  EXPECT_EQ(t.source, "r.json");
  EXPECT_EQ(t.ids, (Texts{"a", "c"}));
  EXPECT_EQ(t.cases, 2U);
  ASSERT_EQ(t.averages.size(), 2U);
  EXPECT_EQ(t.averages[0].name, "dice");
  EXPECT_EQ(t.averages[0].values, (Values{0.75, none}));
  EXPECT_EQ(t.averages[1].values, (Values{none, 0.25}));
  ASSERT_EQ(t.labels.size(), 2U);
  EXPECT_EQ(t.labels[0].key, "1");
  EXPECT_EQ(t.labels[0].name, "lesion");
  EXPECT_EQ(values_of(compare::columns_of(t, "lesion"), "dice"), (Values{0.5, none}));
  EXPECT_EQ(values_of(compare::columns_of(t, "2"), "dice"), (Values{1.0, none}));
  ASSERT_EQ(t.groups.size(), 2U);
  EXPECT_EQ(t.groups[0].first, "site");
  EXPECT_EQ(t.groups[0].second, (Texts{"A", ""}));
  EXPECT_EQ(t.groups[1].second, (Texts{"", "7"}));
  ASSERT_EQ(t.unscored.size(), 1U);
  EXPECT_EQ(t.unscored[0].id, "b");
  EXPECT_EQ(t.unscored[0].reason, "broken");
}

TEST(ReadOurs, round_trip) {
  for (const int labels : {1, 3, 9})  // nine: pairwise sums
    for (const metrics::Missing missing : {metrics::Missing::exclude, metrics::Missing::worst}) {
      metrics::ScoreSettings settings = settings_for("paper,recall,rvd");
      settings.missing = missing;
      const metrics::SegmentationResult result = cohort_of(settings, labels);
      expect_round_trip(result, parsed(results_text(result, {})));
    }
}

TEST(ReadOurs, averages_are_the_values_of_the_first_block) {
  const std::string text = results_text(cohort_of(settings_for("paper"), 9), {});
  const Json file = parse_json(text, "r");
  const compare::ResultTable table = parsed(text);
  for (const char* key : {"dice", "avd", "mcc"}) {
    Values values;
    for (const auto& x : file[key]["values"])
      values.push_back(x.is_null() ? std::optional<double>() : x.get<double>());
    EXPECT_EQ(values_of(table.averages, key), values) << key;
  }
}

TEST(ReadOurs, infinities_of_compat_spec_stay) {
  metrics::ScoreSettings settings = settings_for("dice,avd,mcc", "spec");
  settings.compat_spec = true;
  const metrics::SegmentationResult result = cohort_of(settings, 1);
  const compare::ResultTable table = parsed(results_text(result, {}));
  expect_round_trip(result, table);
  EXPECT_THAT(values_of(table.averages, "avd"),
              ::testing::Contains(std::optional(metrics::infinity)));
}

TEST(ReadOurs, the_first_block_serves_when_other_metrics_were_asked_for) {
  for (const metrics::Missing missing : {metrics::Missing::exclude, metrics::Missing::worst}) {
    metrics::ScoreSettings settings = settings_for("recall");
    settings.missing = missing;
    const compare::ResultTable table = parsed(results_text(cohort_of(settings, 3), {}));
    Values expected = values_of(metrics::case_averages(cohort_of(settings_for("dice"), 3), 0));
    expected.resize(table.cases);  // what counts as worst was not scored
    EXPECT_EQ(values_of(table.averages, "dice"), expected);
    EXPECT_EQ(compare::column_of(table.labels[0].columns, "dice"), nullptr);
  }
}

TEST(ReadOurs, volumes_and_macro_dice_follow_from_the_evidence) {
  const auto table_of = [](std::string_view metrics, int labels) {
    return parsed(results_text(cohort_of(settings_for(metrics), labels), {}));
  };
  for (const int labels : {1, 3}) {
    const compare::ResultTable derived = table_of("dice", labels);
    const compare::ResultTable asked =
        table_of("dice,volume_prediction_ml,volume_reference_ml,dice_macro", labels);
    EXPECT_TRUE(asked.derived.empty());
    EXPECT_TRUE(asked.labels[0].derived.empty());
    EXPECT_EQ(derived.labels[0].columns.size(), 1U);
    for (const char* key : {"volume_prediction_ml", "volume_reference_ml", "dice_macro"}) {
      EXPECT_EQ(compare::column_of(derived.averages, key), nullptr) << "it would be compared";
      EXPECT_EQ(values_of(derived.derived, key), values_of(asked.averages, key)) << key;
      EXPECT_EQ(values_of(derived.labels[0].derived, key), values_of(asked.labels[0].columns, key));
    }
  }
  const compare::ResultTable half = table_of("volume_reference_ml,dice_macro", 1);
  ASSERT_EQ(half.derived.size(), 1U);
  EXPECT_EQ(half.derived[0].name, "volume_prediction_ml");
}

TEST(ReadOurs, evidence_without_counts_or_voxel_size_gives_no_volume) {
  EXPECT_TRUE(parsed(literal).derived.empty());
}

TEST(ReadOurs, counts_that_are_not_numbers_of_voxels_are_refused) {
  const auto with = [](const std::string& tp) {
    return R"({"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"dice": {}},
          "cases": [{"id": "a", "status": "ok", "label": {"1": {"dice": 0.5, "evidence": {"tp": )" +
           tp + R"(, "fp": 1, "fn": 1, "tn": 9, "voxel_ml": 1}}}}]})";
  };
  EXPECT_FALSE(parsed(with("1")).derived.empty());
  for (const char* tp : {"-1", "1e300", "0.5", "1e16"})
    EXPECT_THAT(assay::test::refusal([&] { parsed(with(tp)); }),
                HasSubstr("is not a number of voxels"))
        << tp;
}

TEST(ReadOurs, values_that_the_model_left_undefined_know_what_they_count) {
  metrics::ScoreSettings settings = settings_for("hd95,mcc");
  settings.regions = {{"1", "1", {1}}, {"2", "2", {2}}};
  metrics::CaseRecord missed = {.id = "a", .fate = metrics::Fate::scored, .error = {}};
  missed.counts = {{"1", {.tp = 10, .tn = 90}}, {"2", {.fn = 10, .tn = 90}}};
  missed.voxels = 100;
  missed.diagonal_mm = 30;
  metrics::CaseRecord lost = {
      .id = "b", .fate = metrics::Fate::missing_prediction, .error = "no prediction"};
  lost.diagonal_mm = 40;
  const compare::ResultTable t =
      parsed(results_text(metrics::scored(settings, {missed, lost}), {}));
  const compare::MetricColumn& mcc = *compare::column_of(t.averages, "mcc");
  EXPECT_EQ(mcc.values, Values{none});
  EXPECT_EQ(mcc.failed, (std::vector<compare::FailedValue>{{0, 0.5, "zero_denominator", "2"}}));
  EXPECT_EQ(compare::with_failures(mcc), Values{0.5});
  EXPECT_EQ(compare::column_of(t.labels[1].columns, "hd95")->failed,
            (std::vector<compare::FailedValue>{{0, 30.0, "prediction_empty", "2"}}));
  ASSERT_EQ(t.unscored.size(), 1U);
  EXPECT_TRUE(t.unscored[0].failed);
  EXPECT_EQ(t.unscored[0].diagonal_mm, 40);
  // Dice was not asked for, and follows from the counts.
  EXPECT_EQ(values_of(t.averages, "dice"), Values{0.5});
}

TEST(ReadOurs, files_of_0_1_mixed_labels_and_regions_and_are_averaged_again) {
  const auto of = [](double hd95, const char* counts) {
    return R"({"hd95": )" + std::to_string(hd95) +
           R"(, "status": "ok", "undefined": {}, "evidence": {)" + counts +
           R"(, "tn": 80, "voxel_ml": 1}})";
  };
  const compare::ResultTable t = parsed(
      R"({"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"hd95": {}},
          "dice": {"values": [0.7]}, "settings": {"convention": "metrics-reloaded"},
          "labels": {"1": {"name": "1", "members": [1]}, "2": {"name": "2", "members": [2]},
                     "WT": {"name": "WT", "members": [1, 2]}, "ET": {"name": "ET", "members": [2]}},
          "cases": [{"id": "a", "status": "ok", "label": {"1": )" +
      of(1, R"("tp": 10, "fp": 10, "fn": 10)") + R"(, "2": )" +
      of(3, R"("tp": 10, "fp": 0, "fn": 0)") + R"(, "WT": )" +
      of(9, R"("tp": 20, "fp": 0, "fn": 0)") + R"(, "ET": )" +
      of(9, R"("tp": 20, "fp": 0, "fn": 0)") + "}}]}");
  EXPECT_EQ(values_of(t.averages, "hd95"), Values{2.0});
  EXPECT_EQ(values_of(t.averages, "dice"), Values{0.75});  // and not the 0.7 of the first block
  ASSERT_EQ(t.averaged.size(), 2U);
  EXPECT_EQ(t.averaged[1].key, "2");
  EXPECT_TRUE(t.labels[3].is_union);
}

TEST(ReadOurs, what_is_not_scored_keeps_its_reason) {
  const compare::ResultTable table = parsed(results_text(cohort_of(settings_for("dice"), 1), {}));
  ASSERT_EQ(table.unscored.size(), 3U);
  EXPECT_EQ(table.unscored[0].reason, "it is <broken>");
  EXPECT_EQ(table.unscored[2].id, "z");
}

TEST(ReadOurs, a_scored_case_without_any_label_is_a_case) {
  const compare::ResultTable t = parsed(
      R"({"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"dice": {}}, "cases": [
          {"id": "a", "status": "ok", "label": {}},
          {"id": "b", "status": "ok", "label": {"1": {"dice": 1}}}]})");
  EXPECT_EQ(t.averages[0].values, (Values{none, 1.0}));
  EXPECT_TRUE(t.unscored.empty());
}

TEST(ReadOurs, faults_are_named_with_their_place) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = literal;
    text.replace(text.find(from), from.size(), to);
    return refusal_of(text);
  };
  EXPECT_THAT(with("\"id\": \"a\", ", ""), HasSubstr("line 9, column"));
  EXPECT_THAT(with("\"id\": \"a\", ", ""), HasSubstr("has no 'id'"));
  EXPECT_EQ(with("\"id\": \"a\"", "\"id\": 7"),
            "r.json: line 6, column 12: 'id' is a number, where a text is needed");
  EXPECT_THAT(with("\"dice\": 0.5", "\"dice\": \"x\""),
              HasSubstr("line 7, column 21: 'dice' is a text, where a number is needed"));
  EXPECT_THAT(with("\"cases\"", "\"casas\""), HasSubstr("r.json: has no 'cases'"));
  EXPECT_THAT(with("\"c\"}", "\"a\"}"), HasSubstr("r.json: case 'a' appears twice for model m"));
  EXPECT_THAT(with("\"c\"}", "\"b\"}"), HasSubstr("case 'b' appears twice"));
}

TEST(ReadOurs, nothing_to_compare_is_refused) {
  const std::string start =
      R"({"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"dice": {}},
          "cases": [)";
  EXPECT_EQ(refusal_of(start + "]}"), "r.json: lists no case of model m; score some first");
  EXPECT_EQ(refusal_of(start + R"({"id": "a", "status": "failed", "error": "why", "label": {}}]})"),
            "r.json: none of the 1 cases of model m was scored; the first: a: why");
  EXPECT_EQ(refusal_of(start + R"({"id": "a", "status": "ok", "label": {}}]})"),
            "r.json: has no value of any metric of model m");
}

TEST(ReadEvaluation, values_without_ids) {
  const compare::ResultTable t = parsed(
      R"({"model_name": "m", "dice": {"name": "DICE", "mean": NaN, "std": 0, "values": [0.5, NaN]},
          "avd": {"values": [Infinity, 1]}, "mcc": {"values": [1e-3, -1]}, "num_samples": 2})");
  EXPECT_EQ(t.model_name, "m");
  EXPECT_TRUE(t.ids.empty());
  EXPECT_EQ(t.cases, 2U);
  EXPECT_EQ(values_of(t.averages, "dice"), (Values{0.5, none}));
  EXPECT_EQ(values_of(t.averages, "avd"), (Values{metrics::infinity, 1.0}));
  EXPECT_EQ(values_of(t.averages, "mcc"), (Values{0.001, -1.0}));
  EXPECT_TRUE(t.labels.empty());
}

TEST(ReadEvaluation, lists_of_different_lengths_and_no_lists_are_refused) {
  EXPECT_EQ(
      refusal_of(R"({"model_name": "m", "dice": {"values": [1, 2]}, "avd": {"values": [1]}})"),
      "r.json: 'dice' has 2 values and 'avd' 1; every metric needs one value for each case");
  EXPECT_THAT(refusal_of(R"({"model_name": "m", "dice": {"mean": 1}})"),
              HasSubstr("has no 'values'"));
  EXPECT_THAT(refusal_of(R"({"model_name": "m", "dice": {"values": []}})"),
              HasSubstr("has no 'values'"));
  EXPECT_THAT(refusal_of(R"({"dice": {"values": [1]}})"), HasSubstr("has no 'model_name'"));
  EXPECT_THAT(refusal_of(R"({"model_name": "m", "dice": {"values": 3}})"),
              HasSubstr("'values' is a number, where a list is needed"));
}

}  // namespace segmentation_reader_test
