// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/random.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace compare_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;
using vectors::Json;

/// Scores whose differences from zero are 1, 2, ..., n times `step`.
Values stairs(std::size_t n, double step) {
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = step * static_cast<double>(i + 1);
  return values;
}

TEST(Compare, worked_by_hand) {
  const Values reference(8, 0.0);
  const std::vector<ModelScores> models = {{"up", stairs(8, 1)}, {"down", stairs(8, -1)}};
  const auto found = compare_models_to_reference(reference, models);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].model_name, "up");
  EXPECT_EQ(found[0].p_value, 2.0 / 256);
  EXPECT_EQ(found[0].corrected_p_value, 4.0 / 256);
  EXPECT_TRUE(found[0].is_significant);
  EXPECT_EQ(found[0].effect_size, 1);
  EXPECT_EQ(found[0].verdict, Verdict::different);
  EXPECT_EQ(found[1].effect_size, -1);
  EXPECT_EQ(found[1].difference.estimate, -found[0].difference.estimate);
}

TEST(Compare, a_small_but_consistent_difference_is_seen_unless_the_shortcut_is_asked_for) {
  const Values reference(75, 1.0);
  const std::vector<ModelScores> models = {{"m", Values(75, 1 - 1e-6)}};
  EXPECT_LT(compare_models_to_reference(reference, models)[0].p_value, 1e-20);
  const auto spec = compare_models_to_reference(
      reference, models, {.policy = WilcoxonPolicy::scipy_1_10, .allclose_is_equal = true});
  EXPECT_EQ(spec[0].p_value, 1);
  EXPECT_EQ(compare_models_to_reference(reference, models, {.margin = 0.01})[0].verdict,
            Verdict::equivalent);
}

TEST(Compare, the_interval_excludes_zero_where_the_test_is_significant) {
  Generator generator(SeedSequence(std::vector<std::uint32_t>{3}));
  int stars = 0, open_ends = 0;
  for (int k = 0; k < 600; ++k) {
    const std::size_t n = 8 + static_cast<std::size_t>(k % 50);
    const double zeros = 0.15 * (k % 6), steps = k % 2 == 0 ? 20 : 1e9;
    Values scores(n);
    for (double& d : scores)
      if (generator.uniform() >= zeros)
        d = std::round(steps * (generator.uniform() - 0.35)) / steps;
    const auto found =
        compare_models_to_reference(Values(n), std::vector<ModelScores>{{"m", scores}});
    const Interval& d = found[0].difference;
    if (!d.has_limits()) continue;
    const bool beyond = d.lower > 0 || d.upper < 0, touches = d.lower == 0 || d.upper == 0;
    stars += found[0].p_value <= 0.05 ? 1 : 0;
    open_ends += touches ? 1 : 0;
    EXPECT_TRUE(touches || beyond == (found[0].p_value <= 0.05)) << k;
    if (found[0].p_value <= 0.05) EXPECT_TRUE(beyond || touches) << k;
  }
  EXPECT_GT(stars, 100);
  EXPECT_LT(open_ends, 60);
}

TEST(Compare, many_zeros_leave_the_estimate_to_the_pairs_that_differ) {
  Values scores(60);
  for (std::size_t i = 0; i < 20; ++i) scores[i] = 0.01 * static_cast<double>(i + 1);
  const auto found =
      compare_models_to_reference(Values(60), std::vector<ModelScores>{{"m", scores}});
  EXPECT_LT(found[0].p_value, 1e-4);
  EXPECT_EQ(found[0].differing(), 20U);
  EXPECT_NEAR(found[0].difference.estimate, 0.105, 1e-12);
  EXPECT_GT(found[0].difference.lower, 0.05);
}

TEST(Compare, alpha_sets_the_interval) {
  const std::vector<ModelScores> models = {{"m", stairs(20, 1)}};
  const auto usual = compare_models_to_reference(Values(20), models)[0];
  const auto strict = compare_models_to_reference(Values(20), models, {.alpha = 0.01})[0];
  EXPECT_LT(strict.difference.lower, usual.difference.lower);
  EXPECT_LT(strict.mean_difference.lower, usual.mean_difference.lower);
  EXPECT_EQ(strict.difference95.lower, usual.difference.lower);
  EXPECT_EQ(strict.level, 0.99);
}

TEST(Compare, says_when_no_data_could_be_significant) {
  const Values reference(6);
  std::vector<ModelScores> models = {{"a", stairs(6, 1)}};
  EXPECT_FALSE(compare_models_to_reference(reference, models)[0].is_hopeless);  // 2 / 2^6
  models.push_back({"b", stairs(6, 2)});
  const auto both = compare_models_to_reference(reference, models);
  EXPECT_TRUE(both[0].is_hopeless);  // 2 * 0.03125
  EXPECT_EQ(both[0].family, 2U);
  const auto bh = compare_models_to_reference(reference, models, {.correction = Correction::bh});
  EXPECT_FALSE(bh[0].is_hopeless);
}

TEST(Compare, a_step_down_correction_can_reach_a_model_with_few_pairs_that_differ) {
  // Six pairs that differ have p = 0.031. Holm asks 0.05 of the last model once the others passed.
  const Values reference(30);
  Values few(30);
  for (std::size_t i = 0; i < 6; ++i) few[i] = 0.01 * static_cast<double>(i + 1);
  const std::vector<ModelScores> models = {
      {"few", few}, {"b", stairs(30, 1)}, {"c", stairs(30, 2)}};
  const auto found = compare_models_to_reference(reference, models);
  EXPECT_TRUE(found[0].is_significant);
  EXPECT_FALSE(found[0].is_hopeless);
  const auto bonferroni =
      compare_models_to_reference(reference, models, {.correction = Correction::bonferroni});
  EXPECT_TRUE(bonferroni[0].is_hopeless);
}

TEST(Compare, claims_of_equivalence_are_corrected_for_the_number_of_models) {
  // p = 1/2^8 each: one or two models pass at 0.0079, three times 1/256 does not pass at 0.01.
  const ComparisonOptions options = {.alpha = 0.01, .margin = 0.02};
  std::vector<ModelScores> models = {{"a", Values(8, 0.001)}, {"b", Values(8, -0.001)}};
  for (const ComparisonResult& each : compare_models_to_reference(Values(8), models, options)) {
    EXPECT_EQ(each.margin->corrected_equivalence_pvalue, 2.0 / 256);
    EXPECT_EQ(each.verdict, Verdict::equivalent);
  }
  models.push_back({"c", Values(8, 0.0)});
  for (const ComparisonResult& each : compare_models_to_reference(Values(8), models, options))
    EXPECT_NE(each.verdict, Verdict::equivalent);
}

TEST(Compare, clusters_are_tested_by_their_means_and_averaged_over_cases) {
  // Clusters of 1, 2, ... 7 cases, each with a difference of its own.
  Values scores;
  std::vector<std::size_t> clusters;
  double sum = 0;
  for (std::size_t c = 1; c <= 7; ++c)
    for (std::size_t i = 0; i < c; ++i) {
      scores.push_back(static_cast<double>(c));
      clusters.push_back(c);
      sum += static_cast<double>(c);
    }
  ComparisonOptions options;
  options.clusters = clusters;
  const auto found = compare_models_to_reference(Values(scores.size()),
                                                 std::vector<ModelScores>{{"m", scores}}, options);
  EXPECT_EQ(found[0].p_value, 2.0 / 128);
  EXPECT_EQ(found[0].test.n, 7U);
  EXPECT_EQ(found[0].difference.estimate, 4);
  EXPECT_DOUBLE_EQ(found[0].mean_difference.estimate, sum / 28);
  EXPECT_GT(*found[0].design_effect, 1);
  const Values ones(28, 1.0);
  const std::vector<std::size_t> one(28);
  options.clusters = one;
  const auto single =
      compare_models_to_reference(Values(28), std::vector<ModelScores>{{"m", ones}}, options);
  EXPECT_EQ(single[0].verdict, Verdict::too_few_pairs);
  EXPECT_FALSE(single[0].mean_difference.has_limits());
}

TEST(Compare, the_error_of_a_mean_counts_clusters) {
  // Six subjects of twenty cases that share most of their difference: the interval must cover 0.
  Generator generator(SeedSequence(std::vector<std::uint32_t>{9}));
  constexpr int times = 600;
  int covered = 0, rejected = 0;
  for (int k = 0; k < times; ++k) {
    Values scores;
    std::vector<std::size_t> clusters;
    for (std::size_t c = 0; c < 6; ++c) {
      const double shared = generator.uniform() - 0.5;
      for (int i = 0; i < 20; ++i) {
        scores.push_back(shared + 0.2 * (generator.uniform() - 0.5));
        clusters.push_back(c);
      }
    }
    ComparisonOptions options;
    options.clusters = clusters;
    const auto found = compare_models_to_reference(
        Values(scores.size()), std::vector<ModelScores>{{"m", scores}}, options);
    const Interval& d = found[0].mean_difference;
    covered += d.lower <= 0 && d.upper >= 0 ? 1 : 0;
    rejected += found[0].p_value <= 0.05 ? 1 : 0;
  }
  EXPECT_GT(covered, times * 0.91);
  EXPECT_LT(rejected, times * 0.06);
}

TEST(Compare, errors_name_the_model) {
  const std::vector<ModelScores> models = {{"short", {1, 2}}};
  EXPECT_THAT(test::refusal([&] {
                compare_models_to_reference(Values{1, 2, 3}, models);
              }),
              testing::StartsWith("model 'short': "));
  const std::vector<ModelScores> nan = {{"nan", {1, NAN}}};
  EXPECT_THROW(compare_models_to_reference(Values{1, 2}, nan), Error);
  EXPECT_TRUE(compare_models_to_reference(Values{1}, {}).empty());
}

TEST(Compare, vectors_of_the_specification) {
  const auto cases = vectors::reference("compare_models");
  for (const auto& item : cases) {
    std::vector<ModelScores> models;
    for (const auto& want : item.at("result"))
      models.push_back(
          {want.at("model"), vectors::numbers(item.at("models").at(want.at("model")))});
    const auto found = compare_models_to_reference(
        vectors::numbers(item.at("reference")), models,
        {.policy = WilcoxonPolicy::scipy_1_10, .allclose_is_equal = true});
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Json& want = item.at("result")[i];
      vectors::expect_near(found[i].p_value, want.at("p"), 1e-12, found[i].model_name);
      vectors::expect_near(found[i].corrected_p_value, want.at("corrected"), 1e-12, "corrected");
      EXPECT_EQ(found[i].is_significant, want.at("significant").get<bool>());
    }
  }
  const auto wilcoxon = vectors::reference("wilcoxon");
  for (const auto& item : wilcoxon.at("cases")) {
    if (!item.contains("spec_p_scipy1_10") || !item.at("spec_p_scipy1_10").is_number()) continue;
    const std::vector<ModelScores> models = {{"m", vectors::numbers(item.at("y"))}};
    const auto found = compare_models_to_reference(
        vectors::numbers(item.at("x")), models,
        {.policy = WilcoxonPolicy::scipy_1_10, .allclose_is_equal = true});
    vectors::expect_near(found[0].p_value, item.at("spec_p_scipy1_10"), 1e-12, item.at("kind"));
  }
}

TEST(Compare, vectors_against_published_means) {
  const auto cases = vectors::reference("stat_comparison_vs_paper");
  for (const auto& item : cases) {
    const Values ours = vectors::numbers(item.at("our_results"));
    const Values paper(ours.size(), item.at("paper_mean").get<double>());
    const Json& want = item.at("result");
    const auto old = wilcoxon(ours, paper, {.policy = WilcoxonPolicy::scipy_1_10});
    vectors::expect_near(old.pvalue, want.at("p_value"), 1e-12, "scipy-1.10");
    EXPECT_EQ(old.statistic, want.at("wilcoxon_statistic").get<double>());
    vectors::expect_near(wilcoxon(ours, paper, {.policy = WilcoxonPolicy::scipy_1_15}).pvalue,
                         want.at("scipy_ge_1_15_p"), 1e-12, "scipy-1.15");
  }
}

}  // namespace compare_test
