// SPDX-License-Identifier: Apache-2.0
/// Laws that hold for every row of the table, so a new metric is tested before its own test exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>
#include <set>

#include "assay/base/test_files.hpp"
#include "assay/metrics.hpp"

namespace metric_test {

using namespace assay;
using namespace assay::metrics;

/// Random evidence for one surface.
DirectedEvidence random_side(std::mt19937_64& rng) {
  const auto weight = static_cast<double>(1 + rng() % 1000);
  const auto greatest = static_cast<double>(rng() % 100);
  return {.weight = weight,
          .sum_mm = weight * greatest / 2,
          .greatest_mm = greatest,
          .percentile_mm = {{95, greatest * 0.9}},
          .within = {{1, std::floor(weight / 3)}}};
}

/// Random evidence for a map, consistent with these counts.
ProbabilityEvidence random_map(const Confusion& counts, std::mt19937_64& rng) {
  ProbabilityEvidence out = {.voxels = counts.total(), .positives = counts.reference()};
  const auto share = [&] { return static_cast<double>(rng() % 1001) / 1000; };
  const auto positives = static_cast<double>(out.positives);
  out.pairs_won = positives * static_cast<double>(out.negatives()) * share();
  out.precision_sum = positives * share();
  out.squared_error = static_cast<double>(out.voxels) * share();
  out.bins[3] = {.voxels = out.voxels,
                 .positives = out.positives,
                 .sum = static_cast<double>(out.voxels) * share()};
  return out;
}

Evidence random_evidence(std::mt19937_64& rng) {
  // Zeros must be as likely as large counts, or empty masks would never be drawn.
  const auto draw = [&] { return rng() % 3 == 0 ? 0 : static_cast<std::int64_t>(rng() % 100000); };
  Evidence out = {.counts = {.tp = draw(), .fp = draw(), .fn = draw(), .tn = draw()},
                  .voxel_ml = 0.001};
  if (rng() % 2 == 0) out.probability = random_map(out.counts, rng);
  if (presence(out.counts) != Presence::ok) return out;
  const DirectedEvidence p = random_side(rng), r = random_side(rng);
  const auto either = static_cast<std::int64_t>(1 + rng() % 500);
  out.boundary = BoundaryEvidence{.prediction = p,
                                  .reference = r,
                                  .pooled_percentile_mm = p.percentile_mm,
                                  .common = static_cast<std::int64_t>(rng() % 500) % (either + 1),
                                  .either = either};
  const auto found = static_cast<std::int64_t>(rng() % 9);
  out.lesions = LesionEvidence{.references = found + static_cast<std::int64_t>(rng() % 9),
                               .predictions = found + static_cast<std::int64_t>(rng() % 9),
                               .detected = found,
                               .confirmed = found,
                               .dice_sum = 0.7 * static_cast<double>(found),
                               .hd95_sum_mm = 3 * static_cast<double>(found),
                               .iou_sum = 0.6 * static_cast<double>(found),
                               .iou_pairs = found,
                               .penalty_mm = 300,
                               .harmonic_f1 = rng() % 2 == 0};
  return out;
}

/// Two surfaces of 30 voxels that agree.
BoundaryEvidence agreeing() {
  const DirectedEvidence side = {.weight = 30, .percentile_mm = {{95, 0}}, .within = {{1, 30}}};
  return {.prediction = side,
          .reference = side,
          .pooled_percentile_mm = {{95, 0}},
          .common = 30,
          .either = 30};
}

const Evidence perfect = {
    .counts = {.tp = 40, .fp = 0, .fn = 0, .tn = 60},
    .voxel_ml = 0.5,
    .boundary = agreeing(),
    .lesions = LesionEvidence{.references = 3,
                              .predictions = 3,
                              .detected = 3,
                              .confirmed = 3,
                              .dice_sum = 3,
                              .iou_sum = 3,
                              .iou_pairs = 3},
    .probability = ProbabilityEvidence{
        .voxels = 100, .positives = 40, .pairs_won = 2400, .precision_sum = 40}};

double best(const Metric& m) {
  if (m.better == Better::higher) return m.range.high;
  return m.better == Better::lower ? m.range.low : 0;
}

TEST(MetricTable, describes_each_metric_completely_and_names_it_once) {
  std::set<std::string_view> names;
  for (const Metric& m : metrics::metrics()) {
    SCOPED_TRACE(m.name);
    EXPECT_TRUE(names.insert(m.name).second);
    EXPECT_TRUE(std::ranges::all_of(
        m.name, [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; }));
    for (const auto text : {m.title, m.equation, m.note}) EXPECT_FALSE(text.empty());
    EXPECT_LT(m.range.low, m.range.high);
  }
}

TEST(MetricTable, every_score_lies_in_the_declared_range) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 20000; ++i) {
    const Evidence evidence = random_evidence(rng);
    for (const Metric& m : metrics::metrics())
      if (const auto x = value(score(m, evidence))) {
        EXPECT_GE(*x, m.range.low) << m.name;
        EXPECT_LE(*x, m.range.high) << m.name;
      }
  }
}

TEST(MetricTable, a_perfect_prediction_gets_the_best_value) {
  for (const Metric& m : metrics::metrics())
    if (m.better != Better::neither) EXPECT_EQ(value(score(m, perfect)), best(m)) << m.name;
}

TEST(MetricTable, worst_is_at_the_bad_end_of_the_range) {
  for (const Metric& m : metrics::metrics()) {
    if (!m.failure) continue;
    EXPECT_GE(*m.failure, m.range.low) << m.name;
    EXPECT_LE(*m.failure, m.range.high) << m.name;
    EXPECT_NE(*m.failure, best(m)) << m.name;
  }
}

TEST(MetricTable, no_evidence_yields_nan) {
  std::mt19937_64 rng(8);
  for (int i = 0; i < 5000; ++i) {
    const Evidence evidence = random_evidence(rng);
    for (const Convention& c : conventions())
      for (const Metric& m : metrics::metrics())
        if (const auto x = value(score(m, evidence, {.dice_smooth = c.dice_smooth}, c)))
          EXPECT_FALSE(std::isnan(*x)) << m.name << " by " << c.name;
  }
}

TEST(MetricTable, adding_an_error_never_improves_a_directed_metric) {
  std::mt19937_64 rng(9);
  for (int i = 0; i < 5000; ++i) {
    Evidence before = random_evidence(rng);
    before.counts.tp += 2;
    before.counts.tn += 2;
    Evidence after = before;  // one voxel that was found is missed, one false alarm is added
    --after.counts.tp, ++after.counts.fn, --after.counts.tn, ++after.counts.fp;
    for (const Metric& m : metrics::metrics()) {
      const auto was = value(score(m, before)), is = value(score(m, after));
      if (!was || !is) continue;
      if (m.better == Better::higher) EXPECT_LE(*is, *was + 1e-15) << m.name;
      if (m.better == Better::lower) EXPECT_GE(*is, *was - 1e-15) << m.name;
    }
  }
}

TEST(ChosenMetrics, names_and_groups_in_the_order_asked_for) {
  const auto names = [](std::string_view list) {
    std::vector<std::string_view> out;
    for (const ChosenMetric& m : chosen_metrics(list)) out.push_back(m->name);
    return out;
  };
  EXPECT_EQ(names("avd,dice"), (std::vector<std::string_view>{"avd", "dice"}));
  EXPECT_EQ(names("standard"),
            (std::vector<std::string_view>{"dice", "nsd", "hd95", "avd", "mcc"}));
  EXPECT_EQ(names("paper"), (std::vector<std::string_view>{"dice", "avd", "mcc", "dice_macro"}));
  EXPECT_EQ(names("all").size(), metrics::metrics().size());
  EXPECT_EQ(names("paper,dice"), names("paper"));
}

TEST(ChosenMetrics, all_asks_for_probabilities_only_if_there_are_any) {
  const auto by_name = chosen_metrics("auroc"), by_all = chosen_metrics("all");
  EXPECT_FALSE(by_name.front().if_present);
  for (const ChosenMetric& m : by_all) EXPECT_EQ(m.if_present, m->group == "probability") << m.key;
  for (const ChosenMetric& m : chosen_metrics("all,probability")) EXPECT_FALSE(m.if_present);
  EXPECT_EQ(chosen_metrics("probability").size(), 4U);
}

TEST(ChosenMetrics, percentiles_and_tolerances_are_part_of_the_key) {
  const auto keys = [](std::string_view list, std::vector<double> tolerances) {
    std::vector<std::string> out;
    for (const ChosenMetric& m : chosen_metrics(list, tolerances)) out.push_back(m.key);
    return out;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys("hd99,hd97.5,hd95", {}), (Keys{"hd99", "hd97.5", "hd95"}));
  EXPECT_EQ(keys("nsd", {2}), (Keys{"nsd"}));
  EXPECT_EQ(keys("nsd", {1, 2, 0.5}), (Keys{"nsd", "nsd@2mm", "nsd@0.5mm"}));
  EXPECT_EQ(keys("nsd@3mm,nsd", {1, 3}), (Keys{"nsd@3mm", "nsd"}));
  EXPECT_EQ(keys("nsd,nsd@0mm", {0}), (Keys{"nsd", "nsd@0mm"}));
  EXPECT_EQ(chosen_metrics("hd99").front().argument, 99);
  EXPECT_EQ(chosen_metrics("nsd", std::vector{2.0}).front().argument, 2);
  EXPECT_EQ(chosen_metrics("boundary").size(), 7U);
  for (const char* none :
       {"hd0", "hd101", "hdx", "hd-5", "nsd@mm", "nsd@-0mm", "nsd@-1mm", "nsd@1", "nsd@infmm"})
    EXPECT_FALSE(metric_of_key(none)) << none;
}

TEST(ChosenMetrics, a_misspelt_name_is_answered_with_the_nearest_one) {
  const auto message = [](std::string_view list) {
    return test::refusal([&] { chosen_metrics(list); });
  };
  EXPECT_EQ(message("dise"),
            "there is no metric 'dise'; did you mean 'dice'? ('assay metrics' lists them)");
  EXPECT_EQ(message("dice,"), "there is no metric '' ('assay metrics' lists them)");
}

}  // namespace metric_test
