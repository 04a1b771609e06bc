// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/parity.hpp"
#include "assay/results.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace assay::results::experiment_test {

using ::testing::HasSubstr;

parity::Achieved parsed(const char* text) {
  return parse_experiment(text, "r.json");
}

parity::ParityReport judged(std::string_view text, const char* variant = "meshnet_26",
                            bool compat = false) {
  return parity::parity_report(parse_experiment(text, "r.json", {.compat_spec = compat}),
                               parity::built_in_paper(), variant, {.compat_spec = compat});
}

TEST(Experiment, the_specifications_own_tests) {
  const std::pair<const char*, parity::ParityLevel> cases[] = {
      {R"({"summary": {"mean_dice": 0.876, "std_dice": 0.016},
           "test_results": [{"test_dice": 0.876, "test_avd": 0.245, "test_mcc": 0.760}]})",
       parity::ParityLevel::strict},
      {R"({"summary": {"mean_dice": 0.865, "std_dice": 0.020},
           "test_results": [{"test_dice": 0.865, "test_avd": 0.28, "test_mcc": 0.75}]})",
       parity::ParityLevel::acceptable},
      {R"({"summary": {"mean_dice": 0.852, "std_dice": 0.025},
           "test_results": [{"test_dice": 0.852, "test_avd": 0.35, "test_mcc": 0.70}]})",
       parity::ParityLevel::minimum},
      {R"({"summary": {"mean_dice": 0.80, "std_dice": 0.05},
           "test_results": [{"test_dice": 0.80, "test_avd": 0.50, "test_mcc": 0.60}]})",
       parity::ParityLevel::failed}};
  for (const auto& [text, level] : cases) {
    EXPECT_EQ(judged(text).result.parity_level, level) << text;
    EXPECT_EQ(judged(text, "meshnet_26", true).result.parity_level, level) << text;
  }
}

TEST(Experiment, every_vector_of_the_original) {
  const vectors::Json all = vectors::file("specification-cases.json");
  int seen = 0;
  for (const auto& c : all.at("cases")) {
    if (c.at("category") != "parity") continue;
    const auto& input = c.at("input");
    const std::string text = input.at("results").dump();
    const std::string variant = input.value("variant", "meshnet_26");
    const auto& wanted = c.at("expected");
    ++seen;
    if (wanted.is_string()) continue;  // another version's layout
    if (wanted.contains("raises")) {
      EXPECT_THAT(assay::test::refusal([&] { judged(text, variant.c_str(), true); }),
                  HasSubstr("the specification's code stops there"));
      EXPECT_EQ(judged(text).result.parity_level, parity::ParityLevel::not_assessable);
      continue;
    }
    const parity::ParityResult r = judged(text, variant.c_str(), true).result;
    EXPECT_EQ(name(r.parity_level), wanted.at("parity_level").get<std::string>()) << c.at("id");
    if (wanted.contains("avd_mean")) {
      EXPECT_EQ(r.avd_mean, 0.3);
      EXPECT_EQ(r.mcc_mean, 0.7);
      EXPECT_EQ(r.dice_std, 0.0);
    }
  }
  EXPECT_EQ(seen, 14);
}

TEST(Experiment, the_first_block_with_a_dice_is_taken_whole) {
  const parity::Achieved a = parsed(R"({
    "summary": {"test_mean_dice": 0.8, "test_std_dice": 0.2, "test_mean_mcc": 0.7,
                "num_test_subjects": 223, "test_std_dice_per_run": 0.01},
    "test_results": [{"test_dice": 0.1, "test_avd": 0.1, "test_mcc": 0.1}]})");
  EXPECT_EQ(a.origin, "summary");
  EXPECT_EQ(a.dice.value, 0.8);
  EXPECT_EQ(a.avd.missing, "summary.test_mean_avd is absent");
  EXPECT_EQ(a.dice_std.over, parity::SpreadOver::subjects);
  EXPECT_EQ(a.dice_std.n, 223U);
  ASSERT_EQ(a.spreads.size(), 1U);
  EXPECT_EQ(a.spreads[0].over, parity::SpreadOver::runs);
  EXPECT_EQ(a.spreads[0].std.value, 0.01);
}

TEST(Experiment, flat_summaries) {
  const parity::Achieved a =
      parsed(R"({"test_mean_dice": 0.8, "test_std_dice": 0.02, "test_mean_avd": 0.2,
                                "test_mean_mcc": 0.7})");
  EXPECT_EQ(a.dice.place, "test_mean_dice");
  EXPECT_EQ(a.dice_std.over, parity::SpreadOver::unknown);  // nothing says over what
  EXPECT_EQ(a.mcc.value, 0.7);
}

TEST(Experiment, values_that_are_none) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "summary.test_mean_avd is null"},
      {"NaN", "summary.test_mean_avd is NaN"},
      {"Infinity", "summary.test_mean_avd is Infinity"},
      {"-Infinity", "summary.test_mean_avd is -Infinity"},
      {"1e999", "summary.test_mean_avd is Infinity"},
      {"\"0.2\"", "summary.test_mean_avd is not a number"},
      {"true", "summary.test_mean_avd is not a number"},
      {"[0.2]", "summary.test_mean_avd is not a number"}};
  for (const auto& [value, reason] : cases) {
    const std::string text = std::string(R"({"summary": {"test_mean_dice": 0.876, "test_std_dice":
      0.016, "test_mean_mcc": 0.76, "test_mean_avd": )") +
                             value + "}}";
    const parity::Achieved a = parsed(text.c_str());
    EXPECT_FALSE(a.avd.value) << value;
    EXPECT_EQ(a.avd.missing, reason);
    EXPECT_EQ(judged(text).result.parity_level, parity::ParityLevel::not_assessable);
  }
}

TEST(Experiment, one_bad_run_makes_the_mean_missing) {
  const parity::Achieved a = parsed(R"({"test_results": [
    {"test_dice": 0.8, "test_avd": 0.2, "test_mcc": 0.7},
    {"test_dice": 0.9, "test_avd": Infinity}]})");
  EXPECT_NEAR(*a.dice.value, 0.85, 1e-15);
  EXPECT_NEAR(*a.dice_std.std.value, 0.05, 1e-15);
  EXPECT_EQ(a.avd.missing, "test_results[1].test_avd is Infinity");
  EXPECT_EQ(a.mcc.missing, "test_results[1].test_mcc is absent");
  EXPECT_EQ(a.runs, 2U);
  EXPECT_FALSE(a.outer_folds);
}

TEST(Experiment, a_mean_that_overflows_is_missing) {
  const parity::Achieved a =
      parsed(R"({"test_results": [{"test_dice": 1e308}, {"test_dice": 1e308}]})");
  EXPECT_EQ(a.dice.missing, "test_results.test_dice is too large for a number");
}

constexpr const char* nested = R"({"folds": [
  {"outer_fold": 0, "runs": [
    {"restart": 0, "test_dice": 0.8, "test_avd": 0.2, "test_mcc": 0.7,
     "per_subject_dice": [0.7, 0.9], "subject_ids": ["a", "b"]},
    {"restart": 1, "test_dice": 0.6, "test_avd": 0.4, "test_mcc": 0.5,
     "per_subject_dice": [0.8, null], "subject_ids": ["b", "a"]}]},
  {"outer_fold": 1, "runs": [
    {"restart": 0, "test_dice": 0.4, "test_avd": 0.3, "test_mcc": 0.3,
     "per_subject_dice": [0.4], "subject_ids": ["c"]}]}]})";

TEST(Experiment, folds_and_runs) {
  const parity::Achieved a = parsed(nested);
  EXPECT_EQ(a.origin, "folds[].runs[]");
  EXPECT_NEAR(*a.dice.value, 0.6, 1e-15);
  EXPECT_NEAR(*a.avd.value, 0.3, 1e-15);
  EXPECT_EQ(a.dice_std.over, parity::SpreadOver::runs);
  EXPECT_EQ(a.dice_std.n, 3U);
  EXPECT_EQ(a.runs, 3U);
  EXPECT_EQ(a.outer_folds, 2U);
  // Subjects are paired by id: a 0.7, b (0.9 + 0.8) / 2, c 0.4.
  ASSERT_EQ(a.sample.values.size(), 3U);
  EXPECT_NEAR(a.sample.values[1], 0.85, 1e-15);
  EXPECT_EQ(a.sample.left_out, 1U);
  ASSERT_EQ(a.spreads.size(), 2U);
  EXPECT_EQ(a.spreads[0].over, parity::SpreadOver::outer_folds);
  EXPECT_NEAR(*a.spreads[0].std.value, 0.15, 1e-15);  // folds 0.7 and 0.4
  EXPECT_EQ(a.spreads[1].over, parity::SpreadOver::subjects);
}

TEST(Experiment, our_own_aggregate) {
  const parity::Achieved a = parsed(R"({"schema": "assay.folds/1", "model_name": "MeshNet-16",
    "summary": {"test_mean_dice": 0.7, "test_std_dice": 0.2, "test_mean_avd": 0.3,
      "test_mean_mcc": 0.71, "num_test_subjects": 3, "test_std_dice_per_run": 0.02,
      "spread": {"subjects": {"dice": {"mean": 0.7, "std": 0.25, "ddof": 1, "n": 3}},
                 "runs": {"dice": {"mean": 0.7, "std": 0.03, "ddof": 1, "n": 6}},
                 "outer_folds": {"dice": {"mean": 0.7, "std": 0.06, "ddof": 1, "n": 4},
                                 "dice_macro": {"mean": 0.85, "std": 0.03, "n": 4}}}},
    "cases": [{"id": "a", "dice": 0.5}, {"id": "b", "dice": 0.9}, {"id": "c", "dice": null}]})");
  EXPECT_EQ(a.variant, "meshnet_16");
  EXPECT_EQ(a.sample.values, (std::vector{0.5, 0.9}));
  EXPECT_EQ(a.sample.left_out, 1U);
  ASSERT_EQ(a.spreads.size(), 2U);
  EXPECT_EQ(a.spreads[0].std.value, 0.02);  // ddof 0, as the specification has it
  EXPECT_NEAR(*a.spreads[1].std.value, 0.06 * std::sqrt(0.75), 1e-15);
  EXPECT_EQ(a.dice_macro.value, 0.85);
  EXPECT_EQ(a.macro_spreads[0].std.value, 0.03);
}

TEST(Experiment, segmentation_results) {
  const parity::Achieved a = parsed(R"({"schema": "assay.segmentation/1", "model_name": "m",
    "dice": {"name": "DICE", "mean": 0.7, "std": 0.1, "values": [0.6, 0.8, null]},
    "avd": {"mean": null}, "mcc": {"mean": 0.72},
    "ledger": {"expected": 4, "scored": 3},
    "metrics": {"dice_macro": {"mean": 0.849, "std": 0.1, "n": 2}}})");
  EXPECT_EQ(a.dice.value, 0.7);
  EXPECT_EQ(a.avd.missing, "avd.mean is null");
  EXPECT_EQ(a.dice_std.over, parity::SpreadOver::subjects);
  EXPECT_EQ(a.sample.values.size(), 2U);
  EXPECT_EQ(a.dice_macro.value, 0.849);
  ASSERT_EQ(a.warnings.size(), 2U);
  EXPECT_EQ(a.warnings[0], "dice is undefined in 1 of 3 cases; its mean is over the others");
  EXPECT_EQ(a.warnings[1], "only 3 of 4 cases were scored; the means are over those");
  EXPECT_NEAR(*a.macro_spreads.at(0).std.value, 0.1 * std::sqrt(0.5), 1e-15);
}

TEST(Experiment, macro_dice_follows_from_stored_counts) {
  const parity::Achieved a = parsed(R"({"schema": "assay.segmentation/1", "model_name": "m",
    "dice": {"mean": 0.5, "std": 0.5, "values": [1, 0]}, "metrics": {"dice": {}},
    "labels": {"1": {"name": "1", "members": [1]}},
    "cases": [{"id": "a", "status": "ok", "label": {"1": {"dice": 1,
                 "evidence": {"tp": 2, "fp": 0, "fn": 0, "tn": 8, "voxel_ml": 1}}}},
              {"id": "b", "status": "ok", "label": {"1": {"dice": 0,
                 "evidence": {"tp": 0, "fp": 0, "fn": 5, "tn": 5, "voxel_ml": 1}}}},
              {"id": "c", "status": "failed", "error": "broken", "label": {}}]})");
  const double missed = (0.0 + 10.0 / 15) / 2;
  EXPECT_DOUBLE_EQ(a.dice_macro.value.value(), (1.0 + missed) / 2);
  ASSERT_EQ(a.macro_spreads.size(), 1U);
  EXPECT_DOUBLE_EQ(a.macro_spreads[0].std.value.value(), (1.0 - missed) / 2);
  EXPECT_EQ(a.macro_spreads[0].n, 2U);
}

TEST(Experiment, single_runs_and_bare_means) {
  const parity::Achieved run =
      parsed(R"({"outer_fold": 0, "restart": 1, "test_dice": 0.6, "test_avd": 0.3,
    "test_mcc": 0.6, "per_subject_dice": [0.5, 0.7], "subject_ids": ["a", "b"]})");
  EXPECT_EQ(run.origin, "single run");
  EXPECT_NEAR(*run.dice_std.std.value, 0.1, 1e-15);
  EXPECT_EQ(run.runs, 1U);
  EXPECT_EQ(run.outer_folds, 1U);
  EXPECT_EQ(run.sample.values.size(), 2U);
  const parity::Achieved means =
      parsed(R"({"checkpoint": "c", "num_samples": 5, "dice": 0.6, "avd": 0.3,
    "mcc": 0.6})");
  EXPECT_EQ(means.dice.value, 0.6);
  EXPECT_FALSE(means.dice_std.std.value);
}

TEST(Experiment, validation_metrics_warn) {
  const parity::Achieved a = parsed(R"({"summary": {"mean_dice": 0.876, "std_dice": 0.01}})");
  EXPECT_EQ(a.origin, "validation");
  EXPECT_EQ(a.dice.value, 0.876);
  EXPECT_FALSE(a.avd.value);  // the specification would say 0.3
  ASSERT_EQ(a.warnings.size(), 1U);
  EXPECT_THAT(a.warnings[0], HasSubstr("validation metrics"));
  EXPECT_EQ(parse_experiment(R"({"mean_dice": 0.876})", "r", {.compat_spec = true}).warnings.size(),
            4U);
  EXPECT_EQ(judged("{}").result.parity_level, parity::ParityLevel::not_assessable);
  EXPECT_EQ(judged("{}", "meshnet_26", true).result.parity_level, parity::ParityLevel::failed);
}

TEST(Experiment, describes_the_network) {
  EXPECT_EQ(parsed(R"({"config": {"parameters": 5}})").description.parameters, 5);
  EXPECT_EQ(parsed(R"({"model": {"num_parameters": 5, "channels": 26}})").description.channels, 26);
  EXPECT_EQ(parse_model_description(R"({"dilations": [1, 2]})", "m").dilations,
            (std::vector<long long>{1, 2}));
  EXPECT_EQ(parse_model_description(
                R"({"layers": [{"dilation": 2}, {"kind": "relu"}, {"dilation": [4, 4, 4]}]})", "m")
                .dilations,
            (std::vector<long long>{2, 4}));
  EXPECT_THAT(assay::test::refusal([] { parse_model_description("{}", "m.json"); }),
              HasSubstr("m.json: has none of parameters"));
}

TEST(Experiment, refuses_other_files) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1]", "not an object of results"},
      {"3", "not an object of results"},
      {R"({"schema": "assay.comparison/1"})", "holds 'assay.comparison/1'"},
      {R"({"schema": 3})", "holds ''"},
      {R"({"summary": {"test_mean)", "not valid JSON at line 1"},
      {"", "not valid JSON"}};
  for (const auto& [text, said] : cases)
    EXPECT_THAT(assay::test::refusal([&, file = text] { parsed(file); }), HasSubstr(said)) << text;
}

}  // namespace assay::results::experiment_test
