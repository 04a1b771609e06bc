// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/json.hpp"
#include "assay/metrics.hpp"
#include "assay/results/segmentation.hpp"

namespace results_grand_challenge_test {

using namespace assay;
using namespace assay::results;
using testing::HasSubstr;

metrics::CaseRecord counted(const char* id, const metrics::Confusion& counts) {
  metrics::CaseRecord record = {.id = id, .fate = metrics::Fate::scored, .error = ""};
  record.counts["foreground"] = counts;
  record.voxel_ml = 1;
  return record;
}

metrics::ScoreSettings settings(metrics::Missing missing) {
  metrics::ScoreSettings out;
  out.metrics = metrics::chosen_metrics("dice,mcc");
  out.missing = missing;
  return out;
}

/// A good case, an empty one and one that could not be read.
Json written(metrics::Missing missing) {
  const metrics::CaseRecord broken = {.id = "c", .fate = metrics::Fate::failed, .error = "broken"};
  const auto result = metrics::scored(
      settings(missing), {counted("a", {.tp = 10, .fp = 10, .fn = 10, .tn = 70}),
                          counted("b", {.tp = 0, .fp = 0, .fn = 0, .tn = 100}), broken});
  std::string text;
  write_grand_challenge(result, [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text.find("null"), std::string::npos);
  EXPECT_EQ(text.find("NaN"), std::string::npos);
  return parse_json(text, "metrics.json");
}

TEST(GrandChallengeMetrics, failures_count_as_worst_in_the_aggregates) {
  const Json file = written(metrics::Missing::worst);
  EXPECT_EQ(file["aggregates"]["dice"]["n"], 3);
  EXPECT_DOUBLE_EQ(file["aggregates"]["dice"]["mean"].get<double>(), (0.5 + 1 + 0) / 3);
  EXPECT_EQ(file["aggregates"]["dice"]["min"], 0.0);
  EXPECT_EQ(file["results"][2]["status"], "counted_as_worst");
  EXPECT_EQ(file["results"][2]["error"], "broken");
  EXPECT_EQ(file["results"][2]["metrics"]["dice"], 0.0);
  EXPECT_EQ(file["ledger"]["failed"], 1);
  EXPECT_EQ(file["settings"]["missing"], "worst");
}

TEST(GrandChallengeMetrics, what_has_no_value_is_left_out_and_said) {
  const Json file = written(metrics::Missing::exclude);
  EXPECT_EQ(file["aggregates"]["mcc"]["n"], 1);
  EXPECT_FALSE(file["aggregates"]["mcc"].contains("std"));  // of one value
  EXPECT_EQ(file["undefined"]["mcc"]["zero_denominator"], 1);
  EXPECT_FALSE(file["results"][1]["metrics"].contains("mcc"));
  EXPECT_EQ(file["results"][1]["undefined"]["mcc"], "zero_denominator");
  EXPECT_EQ(file["results"][2], Json({{"case", "c"}, {"status", "failed"}, {"error", "broken"}}));
}

TEST(GrandChallengeMetrics, a_metric_without_any_value_has_no_aggregate) {
  const auto result = metrics::scored(settings(metrics::Missing::worst),
                                      {counted("b", {.tp = 0, .fp = 0, .fn = 0, .tn = 100})});
  std::string text;
  write_grand_challenge(result, [&](std::string_view piece) { text += piece; });
  const Json file = parse_json(text, "metrics.json");
  EXPECT_FALSE(file["aggregates"].contains("mcc"));
  EXPECT_EQ(file["undefined"]["mcc"]["zero_denominator"], 1);
  EXPECT_FALSE(file["labels"]["foreground"]["aggregates"].contains("mcc"));
}

}  // namespace results_grand_challenge_test
