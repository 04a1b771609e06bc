// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/results.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace assay;

namespace {

CaseRecord case_of(std::string id, std::map<std::string, Confusion> counts) {
  return {.id = std::move(id),
          .fate = Fate::scored,
          .error = {},
          .counts = std::move(counts),
          .voxels = 100,
          .voxel_ml = 0.5};
}

CaseRecord lost(std::string id, Fate fate) {
  return {.id = std::move(id), .fate = fate, .error = "lost"};
}

ScoreSettings dice_and_avd() {
  return {.model_name = "m", .metrics = chosen_metrics("dice,avd")};
}

constexpr Confusion half = {.tp = 10, .fp = 10, .fn = 10, .tn = 70};
constexpr Confusion perfect = {.tp = 20, .fp = 0, .fn = 0, .tn = 80};
constexpr Confusion false_alarm = {.tp = 0, .fp = 5, .fn = 0, .tn = 95};

}  // namespace

TEST(Results, cases_are_sorted_and_the_ledger_accounts_for_each) {
  const auto result = scored(
      dice_and_avd(), {case_of("b", {{"foreground", half}}), lost("c", Fate::missing_prediction),
                       lost("d", Fate::failed), case_of("a", {{"foreground", perfect}})});
  EXPECT_EQ(result.cases[0].record.id, "a");
  EXPECT_EQ(result.ledger.expected, 4U);
  EXPECT_EQ(result.ledger.scored, 2U);
  EXPECT_EQ(result.ledger.failed, 1U);
  EXPECT_EQ(result.ledger.missing_prediction, 1U);
  EXPECT_EQ(case_averages(result, 0), (std::vector<Score>{1.0, 0.5}));
}

TEST(Results, an_undefined_value_is_counted_by_its_reason_and_leaves_the_mean) {
  const auto result = scored(dice_and_avd(), {case_of("a", {{"foreground", false_alarm}}),
                                              case_of("b", {{"foreground", half}})});
  const Summary avd = summary(case_averages(result, 1));
  EXPECT_EQ(avd.n, 1U);
  EXPECT_EQ(avd.undefined[static_cast<std::size_t>(Undefined::reference_empty)], 1U);
  EXPECT_EQ(avd.mean, 0.0);
  EXPECT_EQ(avd.std, std::nullopt);  // one value has no spread
}

TEST(Results, a_case_is_the_mean_over_its_labels) {
  ScoreSettings settings = dice_and_avd();
  settings.regions = {{"1", "core", {1}}, {"2", "rim", {2}}};
  const auto result = scored(settings, {case_of("a", {{"1", half}, {"2", perfect}})});
  EXPECT_EQ(case_averages(result, 0), (std::vector<Score>{0.75}));
  EXPECT_EQ(region_scores(result, 0, 1), (std::vector<Score>{1.0}));
}

TEST(Results, with_all_labels_a_label_of_another_case_is_empty_in_both_masks) {
  ScoreSettings settings = dice_and_avd();
  settings.all_labels = true;
  settings.regions = {{"3", "liver", {3}}};  // only lends its name
  const auto result = scored(settings, {case_of("a", {{"10", half}}), case_of("b", {{"3", half}})});
  ASSERT_EQ(result.regions.size(), 2U);
  EXPECT_EQ(result.regions[0].name, "liver");
  EXPECT_EQ(result.regions[1].key, "10");
  EXPECT_EQ(result.cases[0].labels[0].evidence.counts, (Confusion{.tn = 100}));
  EXPECT_EQ(region_scores(result, 0, 0), (std::vector<Score>{1.0, 0.5}));
}

TEST(Results, a_failed_prediction_counts_as_worst_when_asked_to) {
  const std::vector<CaseRecord> records = {
      case_of("a", {{"foreground", perfect}}), lost("b", Fate::failed),
      lost("c", Fate::missing_prediction), lost("d", Fate::missing_reference)};
  const auto means = both_means(scored(dice_and_avd(), records), 0);
  ASSERT_TRUE(means);
  EXPECT_EQ(means->scored_only, 1.0);
  EXPECT_DOUBLE_EQ(means->with_worst, 1.0 / 3);  // without a reference there is nothing to miss

  ScoreSettings settings = dice_and_avd();
  settings.missing = Missing::worst;
  EXPECT_EQ(case_averages(scored(settings, records), 0), (std::vector<Score>{1.0, 0.0, 0.0}));
  // AVD has no upper bound, hence no worst value: such a case is left out, and counted as such.
  EXPECT_EQ(case_averages(scored(settings, records), 1),
            (std::vector<Score>{0.0, Undefined::not_scored, Undefined::not_scored}));
}

TEST(Results, a_broken_reference_is_not_the_predictions_fault) {
  CaseRecord broken = lost("b", Fate::failed);
  broken.reference_at_fault = true;
  ScoreSettings settings = dice_and_avd();
  settings.missing = Missing::worst;
  const auto result = scored(settings, {case_of("a", {{"foreground", half}}), broken});
  EXPECT_EQ(case_averages(result, 0), (std::vector<Score>{0.5}));
  EXPECT_FALSE(both_means(result, 0));
}

TEST(Results, infinity_is_kept_for_the_specification_only) {
  ScoreSettings settings = dice_and_avd();
  settings.convention = &convention("spec");
  const std::vector<CaseRecord> records = {case_of("a", {{"foreground", false_alarm}})};
  EXPECT_EQ(case_averages(scored(settings, records), 1),
            (std::vector<Score>{Undefined::reference_empty}));
  settings.compat_spec = true;
  EXPECT_EQ(case_averages(scored(settings, records), 1), (std::vector<Score>{INFINITY}));
}

TEST(Results, a_scored_case_counts_even_without_any_label) {
  ScoreSettings settings = dice_and_avd();
  settings.all_labels = true;
  const auto result = scored(settings, {case_of("a", {})});
  EXPECT_TRUE(is_counted(result.cases[0]));
  EXPECT_EQ(case_averages(result, 0), (std::vector<Score>{Undefined::both_empty}));
}

TEST(Summary, describes_a_sample_as_numpy_would) {
  const std::vector<Score> scores = {1.0, 2.0, 3.0, 4.0, 10.0};
  const Summary s = summary(scores);
  EXPECT_EQ(s.mean, 4.0);
  EXPECT_DOUBLE_EQ(*s.std, std::sqrt(12.5));
  EXPECT_EQ(s.median, 3.0);
  EXPECT_EQ(s.q25, 2.0);
  EXPECT_EQ(s.q75, 4.0);
  EXPECT_NEAR(s.ci95->first, -0.3899, 1e-4);  // t(0.975, 4) = 2.776
  EXPECT_NEAR(s.ci95->second, 8.3899, 1e-4);
}
