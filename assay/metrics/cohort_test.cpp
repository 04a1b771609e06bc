// SPDX-License-Identifier: Apache-2.0
#include "assay/cohort.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/bootstrap.hpp"
#include "assay/stats/moments.hpp"

namespace cohort_test {

using namespace assay;
using namespace assay::metrics;

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

TEST(Results, averages_under_other_metrics_are_those_of_a_second_scoring) {
  ScoreSettings settings = {.model_name = "m", .metrics = chosen_metrics("mcc")};
  settings.regions = {{"1", "1", {1}}, {"2", "2", {2}}};
  settings.missing = Missing::worst;
  const CaseRecords records = {case_of("a", {{"1", half}, {"2", perfect}}),
                               case_of("b", {{"1", false_alarm}, {"2", half}}),
                               lost("c", Fate::missing_prediction), lost("d", Fate::failed)};
  const auto found = averages_under(scored(settings, records), chosen_metrics("dice,avd"));
  settings.metrics = chosen_metrics("dice,avd");
  settings.missing = Missing::exclude;
  const auto again = scored(settings, records);
  ASSERT_EQ(found.size(), 2U);
  for (std::size_t m = 0; m < found.size(); ++m) EXPECT_EQ(found[m], case_averages(again, m));
  EXPECT_EQ(found[0], (std::vector<Score>{0.75, 0.25}));
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
  const CaseRecords records = {case_of("a", {{"foreground", perfect}}), lost("b", Fate::failed),
                               lost("c", Fate::missing_prediction),
                               lost("d", Fate::missing_reference)};
  const auto effect = failure_effect(scored(dice_and_avd(), records), 0);
  EXPECT_EQ(effect.failures, 2U);  // without a reference there is nothing to miss
  EXPECT_EQ(effect.n, 1U);
  EXPECT_EQ(effect.mean_without, 1.0);
  EXPECT_DOUBLE_EQ(effect.mean_with.value(), 1.0 / 3);

  ScoreSettings settings = dice_and_avd();
  settings.missing = Missing::worst;
  EXPECT_EQ(case_averages(scored(settings, records), 0), (std::vector<Score>{1.0, 0.0, 0.0}));
  EXPECT_EQ(case_averages(scored(settings, records), 1), (std::vector<Score>{0.0, 1.0, 1.0}));
  // A volume has no value of its own for failures: the case is left out, and counted as such.
  settings.metrics = chosen_metrics("fp_volume_ml");
  EXPECT_EQ(case_averages(scored(settings, records), 0),
            (std::vector<Score>{0.0, Undefined::not_scored, Undefined::not_scored}));
}

TEST(Results, a_broken_reference_is_not_the_predictions_fault) {
  CaseRecord broken = lost("b", Fate::failed);
  broken.reference_at_fault = true;
  ScoreSettings settings = dice_and_avd();
  settings.missing = Missing::worst;
  const auto result = scored(settings, {case_of("a", {{"foreground", half}}), broken});
  EXPECT_EQ(case_averages(result, 0), (std::vector<Score>{0.5}));
  EXPECT_EQ(failure_effect(result, 0).failures, 0U);
}

TEST(Results, an_average_is_undefined_where_the_model_failed_on_a_label) {
  ScoreSettings settings = {.model_name = "m", .metrics = chosen_metrics("hd95,mcc,dice")};
  settings.regions = {{"1", "1", {1}}, {"2", "2", {2}}};
  CaseRecord alarm = case_of("a", {{"1", {.tn = 100}}, {"2", false_alarm}});
  alarm.diagonal_mm = 30;
  const auto result = scored(settings, {alarm, case_of("b", {{"1", half}, {"2", {.tn = 100}}})});
  const auto hd95 = averages_of(result, 0);
  EXPECT_EQ(hd95[0], (CaseAverage{Undefined::reference_empty, 1, true}));
  EXPECT_EQ(averages_of(result, 1)[0], (CaseAverage{Undefined::zero_denominator, 1, true}));
  // A value missing by nobody's fault is left out.
  EXPECT_EQ(value(averages_of(result, 1)[1].score), 0.375);
  EXPECT_EQ(averages_of(result, 2)[0].score, Score{0.5});
  EXPECT_EQ(left_out_of_averages(result, 1), (ReasonCounts{0, 0, 0, 1}));
  const FailureCounts counts = failure_counts(result);
  EXPECT_EQ(counts.false_alarms, 1U);
  EXPECT_EQ(counts.empty_predictions, 0U);
  EXPECT_EQ(failure_effect(result, 0).failures, 1U);
  EXPECT_EQ(failure_effect(result, 1).mean_without, 0.375);
  EXPECT_EQ(failure_effect(result, 1).mean_with, 0.1875);
  EXPECT_EQ(failure_effect(result, 0, 1).failures, 1U);
  EXPECT_EQ(failure_effect(result, 0, 0).failures, 0U);
  settings.missing = Missing::worst;
  const auto worst = scored(settings, {alarm});
  EXPECT_EQ(case_averages(worst, 0), (std::vector<Score>{15.0}));  // 0 and the diagonal
  EXPECT_EQ(failure_effect(worst, 0).mean_with, 15.0);
  EXPECT_EQ(failure_effect(worst, 0).mean_without, std::nullopt);
}

TEST(Results, labels_and_regions_are_never_mixed) {
  ScoreSettings settings = dice_and_avd();
  settings.regions = {{"1", "1", {1}}, {"2", "2", {2}}, {"whole", "whole", {1, 2}, true}};
  const CaseRecord one = case_of("a", {{"1", half}, {"2", half}, {"whole", perfect}});
  EXPECT_EQ(case_averages(scored(settings, {one}), 0), (std::vector<Score>{0.5}));
  EXPECT_EQ(averaged_words(settings.regions), "labels 1, 2");
  settings.regions.erase(settings.regions.begin(), settings.regions.begin() + 2);
  EXPECT_EQ(case_averages(scored(settings, {one}), 0), (std::vector<Score>{1.0}));
  EXPECT_EQ(averaged_words(settings.regions), "region whole");
}

TEST(Results, many_labels_are_told_by_the_first_and_the_last) {
  std::vector<Region> regions;
  for (int i = 1; i <= 20; ++i) regions.push_back({std::to_string(i), "", {i}});
  EXPECT_EQ(averaged_words(regions, 12), "labels 1, 2, 3, …, 20");
}

TEST(Results, infinity_is_kept_for_the_specification_only) {
  ScoreSettings settings = dice_and_avd();
  settings.convention = &convention("spec");
  const CaseRecords records = {case_of("a", {{"foreground", false_alarm}})};
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

TEST(Summary, an_interval_stays_in_the_range_of_its_metric) {
  const std::vector<Score> scores = {1.0, 1.0, 0.9};
  const Summary s = summary(scores, summary_rules(metric_of_key("dice")));
  EXPECT_NEAR(s.ci95->first, 0.8232, 1e-4);  // t(0.975, 2) = 4.303
  EXPECT_EQ(s.ci95->second, 1.0);
  EXPECT_TRUE(s.ci_clipped);
  EXPECT_FALSE(summary(scores).ci_clipped) << "a metric that is not known has no limits";
  EXPECT_GT(summary(scores).ci95->second, 1.0);
  EXPECT_EQ(summary(std::vector<Score>{1.0}, summary_rules(metric_of_key("dice"))).ci95,
            std::nullopt);
}

TEST(Summary, bca_is_the_bootstrap_of_the_mean_with_a_fixed_seed) {
  const std::vector<double> values = {0.2, 0.5, 0.9, 0.95, 0.97, 0.99, 1.0};
  const std::vector<Score> scores(values.begin(), values.end());
  const auto expected =
      stats::bootstrap(values, [](std::span<const double> some) { return stats::mean(some); },
                       {.replicates = 2000, .method = stats::BootstrapMethod::bca});
  const Summary s = summary(scores, summary_rules(metric_of_key("dice"), MeanInterval::bca));
  EXPECT_NEAR(s.ci95->first, expected.ci_lower, 1e-12);
  EXPECT_NEAR(s.ci95->second, expected.ci_upper, 1e-12);
  EXPECT_EQ(s.ci_method, MeanInterval::bca);
  const std::vector<Score> equal = {0.5, 0.5, 0.5};
  EXPECT_EQ(summary(equal, summary_rules(metric_of_key("dice"), MeanInterval::bca)).ci95,
            std::pair(0.5, 0.5));
}

TEST(Summary, the_interval_of_clusters_is_robust_to_them) {
  // Six clusters of two equal values: as good as six values, t(0.975, 5) = 2.5706.
  std::vector<Score> scores;
  std::vector<std::size_t> clusters;
  for (std::size_t c = 0; c < 6; ++c)
    for (int k = 0; k < 2; ++k) {
      scores.emplace_back(0.4 + 0.05 * static_cast<double>(c));
      clusters.push_back(c);
    }
  SummaryRules rules = summary_rules(metric_of_key("dice"));
  rules.clusters = clusters;
  const Summary s = summary(scores, rules);
  const double error = 0.0935414346693485 / std::sqrt(6.0);  // SD of 0.40, 0.45, ... 0.65
  EXPECT_NEAR(s.ci95->first, 0.525 - 2.570581835636314 * error, 1e-12);
  EXPECT_NEAR(s.ci95->second, 0.525 + 2.570581835636314 * error, 1e-12);
  EXPECT_EQ(name(s.ci_method), "cluster-t");
  EXPECT_EQ(s.n, 12U);
  // There is no interval for five clusters: undefined values are left out, and so is their cluster.
  scores[0] = scores[1] = Undefined::both_empty;
  EXPECT_EQ(summary(scores, rules).ci95, std::nullopt);
  EXPECT_TRUE(summary(scores, rules).std.has_value());
}

}  // namespace cohort_test
