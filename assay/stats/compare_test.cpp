// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/stats/vectors_for_test.hpp"

using namespace assay;

namespace {

using Values = std::vector<double>;
using vectors::Json;

/// Scores whose differences from zero are 1, 2, ..., n times `step`.
Values stairs(std::size_t n, double step) {
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = step * static_cast<double>(i + 1);
  return values;
}

}  // namespace

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

TEST(Compare, errors_name_the_model) {
  const std::vector<ModelScores> models = {{"short", {1, 2}}};
  try {
    compare_models_to_reference(Values{1, 2, 3}, models);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("model 'short': "), 0U) << error.what();
  }
  const std::vector<ModelScores> nan = {{"nan", {1, NAN}}};
  EXPECT_THROW(compare_models_to_reference(Values{1, 2}, nan), Error);
  EXPECT_TRUE(compare_models_to_reference(Values{1}, {}).empty());
}

TEST(Compare, vectors_of_the_specification) {
  const auto cases = vectors::reference("compare_models");
  if (cases.is_null()) GTEST_SKIP() << "the reference vectors are not beside the source tree";
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
    if (!item.contains("seed_p_scipy1_10") || !item.at("seed_p_scipy1_10").is_number()) continue;
    const std::vector<ModelScores> models = {{"m", vectors::numbers(item.at("y"))}};
    const auto found = compare_models_to_reference(
        vectors::numbers(item.at("x")), models,
        {.policy = WilcoxonPolicy::scipy_1_10, .allclose_is_equal = true});
    vectors::expect_near(found[0].p_value, item.at("seed_p_scipy1_10"), 1e-12, item.at("kind"));
  }
}

TEST(Compare, vectors_against_published_means) {
  const auto cases = vectors::reference("stat_comparison_vs_paper");
  if (cases.is_null()) GTEST_SKIP() << "the reference vectors are not beside the source tree";
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
