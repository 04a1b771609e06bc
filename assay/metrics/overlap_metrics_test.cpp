// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "assay/metrics.hpp"

namespace overlap_metrics_test {

using namespace assay;
using namespace assay::metrics;

struct Row {
  const char* metric;
  Confusion counts;
  Score expected;
};

// Two 6x6x6 cubes in a 10x10x10 field that share a 4x4x4 corner.
constexpr Confusion corner = {.tp = 64, .fp = 152, .fn = 152, .tn = 632};
constexpr Confusion nothing = {.tn = 1000};
constexpr Confusion false_alarm = {.fp = 9, .tn = 991};
constexpr Confusion missed = {.fn = 9, .tn = 991};
constexpr Confusion full = {.tp = 1000};

constexpr Row rows[] = {
    {"dice", corner, 128.0 / 432},
    {"iou", corner, 64.0 / 368},
    {"precision", corner, 64.0 / 216},
    {"recall", corner, 64.0 / 216},
    {"specificity", corner, 632.0 / 784},
    {"npv", corner, 632.0 / 784},
    {"accuracy", corner, 0.696},
    {"balanced_accuracy", corner, (64.0 / 216 + 632.0 / 784) / 2},
    {"fbeta", corner, 128.0 / 432},
    {"mcc", corner, (64.0 * 632 - 152 * 152) / (216.0 * 784)},
    {"kappa", corner, (0.696 - (0.216 * 0.216 + 0.784 * 0.784)) / (2 * 0.216 * 0.784)},
    {"dice_macro", corner, (128.0 / 432 + 1264.0 / 1568) / 2},
    {"avd", corner, 0.0},
    {"rvd", {.tp = 50, .fp = 0, .fn = 50}, -0.5},
    {"avd", {.tp = 500, .fp = 500}, 1.0},  // twice the volume
    {"rvd", {.tp = 500, .fp = 500}, 1.0},
    {"volume_similarity", {.tp = 500, .fp = 500}, 1 - 500.0 / 1500},
    {"mcc", {.fp = 936, .fn = 64}, -1.0},  // the exact inverse
    {"volume_prediction_ml", corner, 216 * 0.002},
    {"volume_reference_ml", corner, 216 * 0.002},
    {"fp_volume_ml", corner, 152 * 0.002},
    {"fn_volume_ml", corner, 152 * 0.002},
    // Empty masks: what the contract says of them.
    {"dice", nothing, 1.0},
    {"iou", nothing, 1.0},
    {"avd", nothing, 0.0},
    {"mcc", nothing, Undefined::zero_denominator},
    {"dice", false_alarm, 0.0},
    {"avd", false_alarm, Undefined::reference_empty},
    {"recall", false_alarm, Undefined::reference_empty},
    {"mcc", false_alarm, Undefined::zero_denominator},
    {"dice", missed, 0.0},
    {"avd", missed, 1.0},
    {"precision", missed, Undefined::prediction_empty},
    {"precision", nothing, Undefined::both_empty},
    {"mcc", missed, Undefined::zero_denominator},
    {"specificity", full, Undefined::zero_denominator},
    {"mcc", full, Undefined::zero_denominator},
    {"dice_macro", full, 1.0},
};

void expect_near(const Score& actual, const Score& expected) {
  ASSERT_EQ(actual.index(), expected.index());
  if (const auto x = value(expected))
    EXPECT_NEAR(*value(actual), *x, 1e-15);
  else
    EXPECT_EQ(actual, expected);
}

TEST(OverlapMetrics, values_worked_out_by_hand) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.metric);
    expect_near(score(metric(row.metric), {row.counts, 0.002}), row.expected);
  }
}

TEST(OverlapMetrics, fbeta_weighs_misses_by_beta) {
  constexpr Confusion c = {.tp = 10, .fp = 5, .fn = 20, .tn = 100};
  const double p = 10.0 / 15, r = 10.0 / 30;
  for (const double beta : {0.5, 1.0, 2.0})
    EXPECT_NEAR(*value(score(metric("fbeta"), {c}, {.beta = beta})),
                (1 + beta * beta) * p * r / (beta * beta * p + r), 1e-15);
}

TEST(Mcc, is_exact_for_gigapixel_counts) {
  // float32 overflows here and returns 0; 64-bit integers overflow already at 128^3.
  constexpr std::int64_t g = 1'000'000'000;
  const auto mcc_of = [](const Confusion& c) { return *value(score(metric("mcc"), {c})); };
  EXPECT_DOUBLE_EQ(mcc_of({.tp = 3 * g, .fp = 2 * g, .fn = 2 * g, .tn = 3 * g}), 0.2);
  EXPECT_EQ(mcc_of({.tp = 123456789 * g / 100, .tn = 987654321 * g / 100}), 1.0);
  EXPECT_NEAR(mcc_of({.tp = 50000, .fp = 20000, .fn = 30000, .tn = 16677216}), 0.6666729918465638,
              1e-15);
}

TEST(Conventions, spec_gives_the_specification_s_values) {
  const Convention& spec = convention("spec");
  const auto by_spec = [&](const char* name, const Confusion& c) {
    return score(metric(name), {c}, {.dice_smooth = spec.dice_smooth}, spec);
  };
  EXPECT_EQ(by_spec("mcc", nothing), Score{0.0});
  EXPECT_EQ(by_spec("mcc", full), Score{0.0});
  EXPECT_EQ(by_spec("avd", false_alarm), Score{infinity});
  EXPECT_EQ(by_spec("avd", nothing), Score{0.0});
  EXPECT_EQ(by_spec("dice", nothing), Score{1.0});
  EXPECT_NEAR(*value(by_spec("dice", {.fp = 491, .tn = 7189})), 2.0366599517984696e-09, 1e-16);
}

TEST(Conventions, monai_and_nnunet_leave_empty_references_undefined) {
  const auto dice_by = [](const char* tool, const Confusion& c) {
    return score(metric("dice"), {c}, {}, convention(tool));
  };
  EXPECT_EQ(dice_by("monai", false_alarm), Score{Undefined::reference_empty});
  EXPECT_EQ(dice_by("monai", nothing), Score{Undefined::both_empty});
  EXPECT_EQ(dice_by("nnunet", false_alarm), Score{0.0});
  EXPECT_EQ(dice_by("nnunet", nothing), Score{Undefined::both_empty});
}

TEST(Conventions, tools_settle_what_empty_and_full_masks_give) {
  struct {
    const char* convention;
    Row row;
  } constexpr expected[] = {
      {"medpy", {"dice", nothing, 1.0}},
      {"medpy", {"iou", nothing, 1.0}},
      {"medpy", {"precision", nothing, 0.0}},
      {"medpy", {"precision", missed, 0.0}},
      {"medpy", {"precision", false_alarm, 0.0}},
      {"medpy", {"recall", nothing, 0.0}},
      {"medpy", {"recall", false_alarm, 0.0}},
      {"medpy", {"recall", missed, 0.0}},
      {"medpy", {"specificity", nothing, 1.0}},
      {"medpy", {"specificity", full, 0.0}},
      {"medpy", {"rvd", nothing, Undefined::both_empty}},
      {"medpy", {"rvd", false_alarm, Undefined::reference_empty}},
      {"medpy", {"rvd", missed, -1.0}},
      {"monai", {"fbeta", nothing, Undefined::both_empty}},
      {"monai", {"fbeta", false_alarm, 0.0}},
      {"panoptica", {"assd", false_alarm, infinity}},
      {"panoptica", {"assd", nothing, Undefined::both_empty}},
      {"panoptica", {"avd", nothing, Undefined::both_empty}},
      {"panoptica", {"rvd", missed, Undefined::prediction_empty}},
      {"panoptica", {"nsd", missed, Undefined::prediction_empty}},
      {"panoptica", {"sq", nothing, Undefined::both_empty}},
      {"panoptica", {"sq", missed, 0.0}},
      {"panoptica", {"lesion_f1", nothing, Undefined::both_empty}},
      {"brats2023", {"recall", nothing, 1.0}},
      {"brats2023", {"recall", false_alarm, 0.0}},
      {"brats2023", {"specificity", full, 0.0}},
      {"brats2023", {"hd95", nothing, 0.0}},
      {"brats2023", {"hd95", missed, 374.0}},
  };
  for (const auto& [name, row] : expected)
    EXPECT_EQ(score(metric(row.metric), {row.counts, 0.001}, {}, convention(name)), row.expected)
        << name << ' ' << row.metric;
}

TEST(Conventions, cover_metrics_that_exist_or_all) {
  for (const Convention& c : conventions()) {
    for (const auto key : c.covered) EXPECT_NO_THROW((void)metric(key)) << c.name;
    for (const auto& each : c.overrides) EXPECT_NO_THROW((void)metric(each.metric)) << c.name;
  }
  EXPECT_TRUE(not_covered(conventions().front(), chosen_metrics("all")).empty());
  EXPECT_EQ(not_covered(convention("medpy"), chosen_metrics("dice,nsd,hd99,mcc")),
            (std::vector<std::string>{"nsd", "mcc"}));
}

}  // namespace overlap_metrics_test
