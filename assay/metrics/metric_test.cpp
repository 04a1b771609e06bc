// SPDX-License-Identifier: Apache-2.0
/// Laws that hold for every row of the table, so a new metric is tested before its own test exists.
#include "assay/metrics/metric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>
#include <set>

#include "assay/core/error.hpp"

using namespace assay;

namespace {

Evidence random_evidence(std::mt19937_64& rng) {
  // Zeros must be as likely as large counts, or empty masks would never be drawn.
  const auto draw = [&] { return rng() % 3 == 0 ? 0 : static_cast<std::int64_t>(rng() % 100000); };
  return {.counts = {.tp = draw(), .fp = draw(), .fn = draw(), .tn = draw()}, .voxel_ml = 0.001};
}

constexpr Evidence perfect = {.counts = {.tp = 40, .fp = 0, .fn = 0, .tn = 60}, .voxel_ml = 0.5};

double best(const Metric& m) {
  if (m.better == Better::higher) return m.range.high;
  return m.better == Better::lower ? m.range.low : 0;
}

}  // namespace

TEST(MetricTable, describes_each_metric_completely_and_names_it_once) {
  std::set<std::string_view> names;
  for (const Metric& m : metrics()) {
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
    for (const Metric& m : metrics())
      if (const auto x = value(score(m, evidence))) {
        EXPECT_GE(*x, m.range.low) << m.name;
        EXPECT_LE(*x, m.range.high) << m.name;
      }
  }
}

TEST(MetricTable, a_perfect_prediction_gets_the_best_value) {
  for (const Metric& m : metrics())
    if (m.better != Better::neither) EXPECT_EQ(value(score(m, perfect)), best(m)) << m.name;
}

TEST(MetricTable, worst_is_at_the_bad_end_of_the_range) {
  for (const Metric& m : metrics()) {
    if (!m.worst) continue;
    EXPECT_GE(*m.worst, m.range.low) << m.name;
    EXPECT_LE(*m.worst, m.range.high) << m.name;
    EXPECT_NE(*m.worst, best(m)) << m.name;
  }
}

TEST(MetricTable, no_evidence_yields_nan) {
  std::mt19937_64 rng(8);
  for (int i = 0; i < 5000; ++i) {
    const Evidence evidence = random_evidence(rng);
    for (const Convention& c : conventions())
      for (const Metric& m : metrics())
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
    for (const Metric& m : metrics()) {
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
    for (const Metric* m : chosen_metrics(list)) out.push_back(m->name);
    return out;
  };
  EXPECT_EQ(names("avd,dice"), (std::vector<std::string_view>{"avd", "dice"}));
  EXPECT_EQ(names("paper"), (std::vector<std::string_view>{"dice", "avd", "mcc", "dice_macro"}));
  EXPECT_EQ(names("all").size(), metrics().size());
  EXPECT_EQ(names("paper,dice"), names("paper"));
}

TEST(ChosenMetrics, a_misspelt_name_is_answered_with_the_nearest_one) {
  const auto message = [](std::string_view list) -> std::string {
    try {
      chosen_metrics(list);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message("dise"),
            "there is no metric 'dise'; did you mean 'dice'? ('assay metrics' lists them)");
  EXPECT_EQ(message("dice,"), "there is no metric '' ('assay metrics' lists them)");
}
