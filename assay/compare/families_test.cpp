// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/families.hpp"

#include <gtest/gtest.h>

#include "assay/stats/random.hpp"

namespace families_test {

using namespace assay;
using namespace assay::compare;

/// Tables of `models` models with metrics x and y over `cases` cases, each value `noise(model)`.
template <class Noise>
std::vector<ResultTable> tables_of(std::size_t models, std::size_t cases, Noise noise) {
  std::vector<ResultTable> out(models);
  for (std::size_t m = 0; m < models; ++m) {
    out[m].model_name = "m" + std::to_string(m);
    out[m].source = out[m].model_name + ".json";
    out[m].cases = cases;
    out[m].averages = {{"dice", {}}, {"nsd", {}}};
    for (std::size_t i = 0; i < cases; ++i) {
      out[m].ids.push_back(std::to_string(1000 + i));
      for (auto& column : out[m].averages) column.values.emplace_back(noise(m, i));
    }
  }
  return out;
}

CompareSettings across(double alpha = 0.05) {
  CompareSettings settings = {.baseline = "m0", .alpha = alpha};
  settings.across_metrics = true;
  return settings;
}

TEST(Families, one_family_of_all_metrics) {
  stats::Generator generator(stats::SeedSequence(std::vector<std::uint32_t>{1}));
  const auto tables = tables_of(4, 30, [&](std::size_t m, std::size_t) {
    return 0.5 + 0.1 * generator.uniform() + (m == 3 ? 0.04 : 0.0);
  });
  const Comparison found = compare::compare(tables, across());
  const Comparison apart = compare::compare(tables, {.baseline = "m0"});
  int significant = 0;
  for (std::size_t k = 0; k < found.metrics.size(); ++k)
    for (std::size_t p = 0; p < 3; ++p) {
      const stats::ComparisonResult& r = found.metrics[k].pairs[p].result;
      EXPECT_EQ(r.family, 6U);
      EXPECT_EQ(r.p_value, apart.metrics[k].pairs[p].result.p_value);
      EXPECT_GE(r.corrected_p_value, r.p_value * 0.9);  // of 10,000 random flips
      EXPECT_LE(r.corrected_p_value, 1);
      const stats::Interval& d = *r.simultaneous;
      EXPECT_LE(d.lower, r.difference.lower);
      EXPECT_GE(d.upper, r.difference.upper);
      EXPECT_EQ(d.lower > 0 || d.upper < 0, r.is_significant);
      significant += r.is_significant ? 1 : 0;
    }
  EXPECT_EQ(significant, 2);
}

TEST(Families, false_signs_anywhere_in_the_table_keep_the_level) {
  stats::Generator generator(stats::SeedSequence(std::vector<std::uint32_t>{2}));
  constexpr int times = 250;
  int any_apart = 0, any_across = 0;
  const auto has_sign = [](const Comparison& comparison) {
    for (const MetricComparison& metric : comparison.metrics)
      for (const PairComparison& pair : metric.pairs)
        if (pair.result.is_significant) return true;
    return false;
  };
  for (int k = 0; k < times; ++k) {
    const auto tables =
        tables_of(4, 12, [&](std::size_t, std::size_t) { return generator.uniform(); });
    CompareSettings apart = {.baseline = "m0"};
    CompareSettings together = across();
    apart.replicates = together.replicates = 1;
    any_apart += has_sign(compare::compare(tables, apart)) ? 1 : 0;
    any_across += has_sign(compare::compare(tables, together)) ? 1 : 0;
  }
  EXPECT_LT(any_across, times * 0.09);
  EXPECT_GE(any_apart, any_across);
}

TEST(Families, too_few_flips_are_said) {
  const auto tables = tables_of(
      2, 6, [&](std::size_t m, std::size_t i) { return double(i) + (m == 1 ? double(i + 1) : 0); });
  const Comparison found = compare::compare(tables, across(0.02));  // 2 of 2^6 is 0.031
  const stats::ComparisonResult& r = found.metrics[0].pairs[0].result;
  EXPECT_TRUE(r.is_hopeless);
  EXPECT_FALSE(r.simultaneous->has_limits());
}

TEST(Families, clusters_flip_as_a_whole) {
  // Six subjects of five equal cases: 2 of 2^6 flips are as far out, not 2 of 2^30.
  auto tables = tables_of(2, 30, [&](std::size_t m, std::size_t i) {
    return 0.5 + (m == 1 ? 0.01 * (1 + double(i) / 5) : 0.0);
  });
  std::vector<std::string> subjects;
  for (std::size_t i = 0; i < 30; ++i) subjects.push_back(std::to_string(i / 5));
  tables[0].groups = {{"subject", subjects}};
  CompareSettings settings = across();
  settings.cluster = "subject";
  EXPECT_EQ(compare::compare(tables, settings).metrics[0].pairs[0].result.corrected_p_value,
            2.0 / 64);
}

TEST(Families, interactions_are_seen_where_groups_differ) {
  // The same noise in both sites; m1 gains alike in both, m2 in the first alone.
  auto tables = tables_of(3, 60, [&](std::size_t m, std::size_t i) {
    const double gain = m == 1 ? 0.05 : m == 2 && i < 30 ? 0.1 : 0;
    return 0.5 + gain + 0.001 * double((i % 30) * (2 * m + 7) % 31);
  });
  std::vector<std::string> sites, subjects;
  for (std::size_t i = 0; i < 60; ++i) {
    sites.emplace_back(i < 30 ? "A" : "B");
    subjects.push_back(std::to_string(i % 30));
  }
  tables[0].groups = {{"site", sites}, {"subject", subjects}};
  CompareSettings settings = {.baseline = "m0"};
  settings.subgroups = {"site"};
  const Comparison found = compare::compare(tables, settings);
  ASSERT_EQ(found.interactions.size(), 4U);
  EXPECT_EQ(found.interactions[0].model_name, "m1");
  EXPECT_GT(found.interactions[0].corrected_p_value, 0.05);
  EXPECT_EQ(found.interactions[1].model_name, "m2");
  EXPECT_LT(found.interactions[1].corrected_p_value, 1e-4);
  settings.cluster = "subject";  // each subject has cases of both sites
  EXPECT_TRUE(compare::compare(tables, settings).interactions.empty());
}

}  // namespace families_test
