// SPDX-License-Identifier: Apache-2.0
#include "assay/own_metric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "assay/base/test_files.hpp"
#include "assay/cohort.hpp"
#include "assay/error.hpp"

namespace own_metric_test {

using namespace assay;
using namespace assay::metrics;

OwnDeclaration declared(std::string name, Better better = Better::higher, Range range = {0, 1}) {
  return {.name = std::move(name), .better = better, .range = range, .kind = "function"};
}

std::string refusal(OwnDeclaration given) {
  return test::refusal([&] { own_metric(std::move(given)); });
}

OwnValue value_by(const OwnMeasure& measure) {
  return measure_value(*own_metric(declared("mine"), measure), {});
}

/// A case of two labels with these values of the metric "mine".
CaseRecord record_of(std::string id, OwnValue first, OwnValue second) {
  CaseRecord out = {.id = std::move(id), .fate = Fate::scored, .error = {}};
  const OwnValue* values[] = {&first, &second};
  for (int label = 0; label < 2; ++label) {
    const std::string key = std::to_string(label + 1);
    out.counts[key] = {.tp = 1, .fp = 1, .fn = 1, .tn = 1};
    out.own[key]["mine"] = *values[label];
  }
  out.voxels = 4;
  return out;
}

TEST(OwnMetric, names_that_mean_something_else_are_refused) {
  EXPECT_EQ(refusal(declared("volume_ratio_2")), "");
  for (const char* name : {"dice", "DSC", "hd99", "all", "standard", "status", "", "2nd", "a b",
                           "naïve", "surface_dice"})
    EXPECT_NE(refusal(declared(name)), "") << name;
}

TEST(OwnMetric, a_failure_counts_as_the_worse_end_of_the_range) {
  const auto failure = [](Better better, Range range) {
    return own_metric(declared("mine", better, range))->row.failure;
  };
  EXPECT_EQ(failure(Better::higher, {0, 1}), 0.0);
  EXPECT_EQ(failure(Better::lower, {0, 100}), 100.0);
  EXPECT_EQ(failure(Better::lower, {0, infinity}), std::nullopt);
  EXPECT_EQ(failure(Better::zero, {-3, 2}), 3.0);
  EXPECT_EQ(failure(Better::neither, {0, 1}), std::nullopt);
}

TEST(OwnMetric, its_row_borrows_from_its_declaration) {
  OwnDeclaration given = declared("mine");
  given.unit = "mm";
  const ChosenMetric chosen = chosen_metric(own_metric(given));
  EXPECT_EQ(chosen.key, "mine");
  EXPECT_EQ(chosen->name, "mine");
  EXPECT_EQ(chosen->title, "mine");
  EXPECT_EQ(chosen->unit, "mm");
  EXPECT_TRUE(chosen->is_own());
  EXPECT_FALSE(metric("dice").is_own());
}

TEST(OwnMetric, what_is_no_number_of_its_range_has_failed) {
  EXPECT_EQ(value_by([](const auto&) { return OwnValue{.value = 0.5}; }).value, 0.5);
  EXPECT_FALSE(value_by([](const auto&) { return OwnValue{}; }).failed);
  for (const double odd : {std::nan(""), infinity, -infinity, 1.001, -0.1}) {
    const OwnValue found = value_by([&](const auto&) { return OwnValue{.value = odd}; });
    EXPECT_TRUE(found.failed && !found.value && !found.message.empty()) << odd;
  }
  const OwnValue thrown =
      value_by([](const auto&) -> OwnValue { throw std::runtime_error("no luck"); });
  EXPECT_EQ(thrown, (OwnValue{.failed = true, .message = "no luck"}));
  EXPECT_TRUE(value_by({}).failed);
}

TEST(OwnMetric, lists_name_it_in_its_place_or_it_comes_last) {
  const std::shared_ptr<const OwnMetric> own[] = {own_metric(declared("mine"))};
  const auto keys = [&](const char* list) {
    std::string out;
    for (const ChosenMetric& each : chosen_metrics(list, {}, own)) out += each.key + " ";
    return out;
  };
  EXPECT_EQ(keys("mine,dice"), "mine dice ");
  EXPECT_EQ(keys("dice,iou"), "dice iou mine ");
  EXPECT_THROW(chosen_metrics("dice,mine"), Error);
}

TEST(OwnMetric, an_average_over_a_failed_label_is_not_known) {
  ScoreSettings settings;
  settings.metrics = {chosen_metric(own_metric(declared("mine")))};
  settings.regions = {{"1", "1", {1}}, {"2", "2", {2}}};
  const OwnValue failed = {.failed = true, .message = "why"};
  CaseRecords records;
  records.push_back(record_of("a", {.value = 0.5}, {.value = 1}));
  records.push_back(record_of("b", {.value = 0.5}, failed));
  records.push_back(record_of("c", {.value = 0.5}, {}));  // has no value there
  const SegmentationResult result = scored(settings, std::move(records));
  const std::vector<Score> averages = case_averages(result, 0);
  EXPECT_EQ(value(averages[0]), 0.75);
  EXPECT_EQ(averages[1], Score{Undefined::own_metric_failed});
  EXPECT_EQ(value(averages[2]), 0.5);
  EXPECT_EQ(failure_effect(result, 0).mean_without, 0.625);
  EXPECT_EQ(result.ledger.own_metric_failures, 1U);
  EXPECT_FALSE(result.ledger.is_complete());
  EXPECT_EQ(own_failure_sentences(result),
            std::vector<std::string>{"the metric mine failed 1 time; the first: case b, 2: why"});
}

TEST(OwnMetric, rules_for_empty_masks_come_before_values) {
  OwnDeclaration given = declared("mine");
  given.empty = {.both = 1.0, .prediction = Undefined::prediction_empty};
  const ChosenMetric chosen = chosen_metric(own_metric(given));
  const auto with = [&](const Confusion& counts) {
    return score(chosen, {.counts = counts, .own = OwnValues{{"mine", {.value = 0.25}}}});
  };
  EXPECT_EQ(with({.tn = 8}), Score{1.0});
  EXPECT_EQ(with({.fn = 1, .tn = 7}), Score{Undefined::prediction_empty});
  EXPECT_EQ(with({.fp = 1, .tn = 7}), Score{0.25});
  EXPECT_EQ(score(chosen, {.counts = {.tp = 1}}), Score{Undefined::not_scored});
}

}  // namespace own_metric_test
