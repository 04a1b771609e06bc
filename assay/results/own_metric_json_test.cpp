// SPDX-License-Identifier: Apache-2.0
#include "assay/results/own_metric_json.hpp"

#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/score_settings.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/results/test_results.hpp"

namespace own_metric_json_test {

using namespace assay;
using namespace assay::results;

constexpr const char* whole =
    R"({"name":"mine","title":"Mine","equation":"a / b","unit":"mm","note":"n","reference":"r",)"
    R"("kind":"command","sha256":"00","better":"lower","range":[0,null],)"
    R"("empty":{"both":0.0,"reference":"undefined","prediction":"call"},"failure":9.0})";

std::string own_refusal(const char* text) {
  return test::refusal([&] { parse_own_metric(parse_json(text, "it")); });
}

metrics::ChosenMetric mine() {
  return metrics::chosen_metric(metrics::own_metric(parse_own_metric(parse_json(whole, "it"))));
}

TEST(OwnMetricJson, it_is_read_as_it_was_written) {
  const Json json = parse_json(whole, "it");
  EXPECT_EQ(own_metric_json(parse_own_metric(json)), json);
  const metrics::ChosenMetric metric = mine();
  EXPECT_EQ(own_metric_json(metric.own->declared), json) << "completing must change nothing";
  EXPECT_EQ(metric->range.high, metrics::infinity);
  EXPECT_EQ(metric->empty.reference, metrics::Score{metrics::Undefined::reference_empty});
  EXPECT_FALSE(metric->empty.prediction);
}

TEST(OwnMetricJson, name_and_direction_are_enough) {
  const auto found = parse_own_metric(parse_json(R"({"name":"a","better":"zero"})", "it"));
  EXPECT_EQ(found.better, metrics::Better::zero);
  EXPECT_EQ(found.empty.both, metrics::Score{metrics::Undefined::both_empty});
}

TEST(OwnMetricJson, what_cannot_be_meant_is_refused) {
  for (const char* text :
       {"[]", R"({"name":"a"})", R"({"name":"a","better":"up"})", R"({"name":1,"better":"lower"})",
        R"({"name":"a","better":"lower","range":[1]})",
        R"({"name":"a","better":"lower","range":["0",1]})",
        R"({"name":"a","better":"lower","empty":1})",
        R"({"name":"a","better":"lower","empty":{"all":1}})",
        R"({"name":"a","better":"lower","empty":{"both":"one"}})",
        R"({"name":"a","better":"lower","failure":"0"})",
        R"({"name":"a","better":"lower","titel":"A"})"})
    EXPECT_NE(own_refusal(text), "") << text;
}

TEST(OwnMetricJson, settings_of_shards_hold_it) {
  metrics::ScoreSettings settings = test::settings_for("dice");
  settings.metrics.push_back(mine());
  const metrics::ScoreSettings again = parse_score_settings(score_settings_json(settings));
  ASSERT_EQ(again.metrics.size(), 2U);
  EXPECT_EQ(own_metrics_json(again.metrics), own_metrics_json(settings.metrics));
}

TEST(OwnMetricJson, records_hold_values_and_messages) {
  metrics::CaseRecord record = {.id = "a", .fate = metrics::Fate::scored, .error = {}};
  record.counts["1"] = {.tp = 1, .fp = 0, .fn = 0, .tn = 0};
  record.voxels = 1;
  record.own["1"] = {{"x", {.value = 0.1}},
                     {"y", {.failed = true, .message = "it is \"odd\""}},
                     {"z", {.message = "no lesion"}}};
  EXPECT_EQ(parse_record(record_text(record)), record);
  std::string text = record_text(record);
  text.replace(text.find("[0.1,false"), 10, "[0.1,true ");
  EXPECT_THROW(parse_record(text), Error);
}

TEST(OwnMetricJson, tables_of_results_know_its_row) {
  metrics::ScoreSettings settings = test::settings_for("dice");
  settings.metrics.push_back(mine());
  const std::string text = results_text(test::cohort_of(settings, 2), {});
  const compare::ResultTable table = test::parsed(text);
  const compare::MetricColumn* column = compare::column_of(table.averages, "mine");
  ASSERT_NE(column, nullptr);
  const auto metric = compare::metric_of(*column);
  ASSERT_TRUE(metric);
  EXPECT_EQ((*metric)->title, "Mine");
  EXPECT_EQ((*metric)->better, metrics::Better::lower);
  EXPECT_EQ(compare::metric_of(table.averages.front())->key, "dice");
}

}  // namespace own_metric_json_test
