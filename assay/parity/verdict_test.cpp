// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "assay/error.hpp"
#include "assay/parity.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace assay::parity::verdict_test {

using vectors::Json;

const Paper& paper() {
  static const Paper built_in = built_in_paper();
  return built_in;
}

ParityResult judged(const ParityValues& values, const char* variant = "meshnet_26",
                    double slack = parity_slack) {
  return parity_of(values, variant_of(paper(), variant), paper().limits, slack);
}

struct Case {
  const char* what;
  ParityValues values;  // dice, dice_std, avd, mcc
  const char* variant;
  ParityLevel expected, raw;
};

constexpr auto strict = ParityLevel::strict, acceptable = ParityLevel::acceptable,
               minimum = ParityLevel::minimum, failed = ParityLevel::failed;

TEST(Verdict, levels_by_hand) {
  const Case cases[] = {
      {"the paper's own values", {0.876, 0.016, 0.245, 0.760}, "meshnet_26", strict, strict},
      {"16", {0.873, 0.007, 0.249, 0.757}, "meshnet_16", strict, strict},
      {"5: strict by its own values", {0.848, 0.023, 0.28, 0.708}, "meshnet_5", strict, strict},
      {"5: the limits are 26's", {0.836, 0.023, 0.28, 0.708}, "meshnet_5", failed, failed},
      {"example of section 8", {0.8712, 0.0189, 0.2523, 0.7542}, "meshnet_26", strict, strict},
      {"SD at the limit", {0.876, 0.03, 0.245, 0.76}, "meshnet_26", strict, strict},
      {"SD over subjects", {0.876, 0.264, 0.245, 0.76}, "meshnet_26", acceptable, acceptable},
      {"acceptable limits", {0.86, 0.5, 0.30, 0.74}, "meshnet_26", acceptable, acceptable},
      {"minimum limit", {0.85, 0.5, 0.9, 0.1}, "meshnet_26", minimum, minimum},
      {"below it", {0.8499, 0.0, 0.0, 0.9}, "meshnet_26", failed, failed},
      {"better than the paper", {0.95, 0.01, 0.1, 0.9}, "meshnet_26", acceptable, acceptable},
      // The documented inclusive bounds that doubles miss, and the one they do not.
      {"0.886", {0.886, 0.016, 0.245, 0.76}, "meshnet_26", strict, acceptable},
      {"0.866", {0.866, 0.016, 0.245, 0.76}, "meshnet_26", strict, acceptable},
      {"AVD 0.265", {0.876, 0.016, 0.265, 0.76}, "meshnet_26", strict, acceptable},
      {"AVD 0.225", {0.876, 0.016, 0.225, 0.76}, "meshnet_26", strict, strict},
      {"MCC 0.780", {0.876, 0.016, 0.245, 0.78}, "meshnet_26", strict, acceptable},
      {"MCC 0.740", {0.876, 0.016, 0.245, 0.74}, "meshnet_26", strict, acceptable},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(judged(c.values, c.variant).parity_level, c.expected) << c.what;
    EXPECT_EQ(judged(c.values, c.variant, 0).parity_level, c.raw) << c.what << " (raw)";
  }
}

TEST(Verdict, what_is_missing_is_not_assessable) {
  const ParityLevel none = ParityLevel::not_assessable;
  EXPECT_EQ(judged({}).parity_level, none);
  EXPECT_EQ(judged({std::nullopt, 0.01, 0.2, 0.7}).parity_level, none);
  EXPECT_EQ(judged({0.5, 0.01, std::nullopt, 0.7}).parity_level, none);
  EXPECT_EQ(judged({0.876, 0.01, 0.245, std::nullopt}).parity_level, none);
  // The SD decides only between strict and less.
  EXPECT_EQ(judged({0.876, std::nullopt, 0.245, 0.76}).parity_level, none);
  EXPECT_EQ(judged({0.7, std::nullopt, 0.245, 0.76}).parity_level, failed);
  const ParityResult r = judged({0.876, 0.01, std::nullopt, 0.76});
  EXPECT_FALSE(r.meets_or_exceeds || r.details.avd.diff || r.details.avd.acceptable);
  EXPECT_EQ(r.details.avd.paper, 0.245);
}

TEST(Verdict, meets_or_exceeds_is_one_sided) {
  EXPECT_EQ(judged({0.95, 0.01, 0.1, 0.9}).meets_or_exceeds, true);
  EXPECT_EQ(judged({0.876, 0.01, 0.245, 0.76}).meets_or_exceeds, true);
  EXPECT_EQ(judged({0.876, 0.01, 0.246, 0.76}).meets_or_exceeds, false);
  EXPECT_EQ(judged({0.876, 0.01, 0.246, 0.76}).details.avd.meets_or_exceeds, false);
}

TEST(Verdict, within_the_papers_spread) {
  const ParityDetails d = judged({0.860, 0.01, 0.282, 0.79}).details;
  EXPECT_EQ(d.dice.within_paper_sd, true);  // 0.876 ± 0.016
  EXPECT_EQ(d.avd.within_paper_sd, false);  // 0.245 ± 0.036
  EXPECT_EQ(d.mcc.within_paper_sd, true);   // 0.760 ± 0.030
}

TEST(Verdict, a_metric_that_the_paper_lacks_is_not_judged) {
  const PaperModel dice_only = {.key = "k", .name = "K", .dice = {.mean = 0.876}};
  const ParityResult r = parity_of({0.88, 0.01, std::nullopt, 0.2}, dice_only);
  EXPECT_EQ(r.parity_level, strict);
  EXPECT_EQ(r.meets_or_exceeds, true);
  EXPECT_FALSE(r.details.mcc.paper || r.details.mcc.acceptable || r.details.dice.within_paper_sd);
}

TEST(Verdict, levels_have_an_order) {
  EXPECT_TRUE(reaches(strict, minimum) && reaches(acceptable, acceptable));
  EXPECT_FALSE(reaches(acceptable, strict) || reaches(failed, minimum) ||
               reaches(ParityLevel::not_assessable, minimum));
  EXPECT_EQ(parity_level("minimum"), minimum);
  EXPECT_THROW(parity_level("failed"), Error);  // nothing to ask for
  EXPECT_EQ(name(ParityLevel::not_assessable), "not_assessable");
}

TEST(Verdict, nothing_but_a_finite_number_reaches_a_level_under_compat) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judged({nan, 0.01, 0.245, 0.76}, "meshnet_26", 0).parity_level, failed);
  EXPECT_EQ(judged({0.87, 0.01, inf, 0.76}, "meshnet_26", 0).parity_level, minimum);
}

std::optional<bool> flag(const Json& object, const char* key) {
  return object.contains(key) ? std::optional(object.at(key).get<bool>()) : std::nullopt;
}

void expect_detail(const MetricDetail& found, const Json& wanted, const std::string& where) {
  EXPECT_EQ(found.achieved, wanted.at("achieved").get<double>()) << where;
  EXPECT_EQ(found.paper, wanted.at("paper").get<double>()) << where;
  EXPECT_EQ(found.diff, wanted.at("diff").get<double>()) << where;
  EXPECT_EQ(found.pct_diff, wanted.at("pct_diff").get<double>()) << where;
  EXPECT_EQ(found.within_tolerance, flag(wanted, "within_tolerance")) << where;
  EXPECT_EQ(found.acceptable, flag(wanted, "acceptable")) << where;
  EXPECT_EQ(found.minimum, flag(wanted, "minimum")) << where;
}

TEST(Verdict, equals_the_specification_to_the_last_bit) {
  const Json cases = vectors::reference("parity");
  ASSERT_EQ(cases.size(), 30U);
  for (const Json& c : cases) {
    const Json& s = c.at("summary");
    const ParityValues values = {s.at("test_mean_dice"), s.at("test_std_dice"),
                                 s.at("test_mean_avd"), s.at("test_mean_mcc")};
    const auto variant = c.at("variant").get<std::string>();
    const ParityResult r = judged(values, variant.c_str(), 0);
    const std::string where = s.dump();
    const Json& d = c.at("details");
    EXPECT_EQ(name(r.parity_level), c.at("level").get<std::string>()) << where;
    expect_detail(r.details.dice, d.at("dice"), where);
    expect_detail(r.details.avd, d.at("avd"), where);
    expect_detail(r.details.mcc, d.at("mcc"), where);
    EXPECT_EQ(r.details.dice_std.paper, d.at("dice_std").at("paper").get<double>()) << where;
    EXPECT_EQ(r.details.dice_std.acceptable, flag(d.at("dice_std"), "acceptable")) << where;
    // None of these lies on a bound, so the slack changes nothing.
    EXPECT_EQ(judged(values, variant.c_str()).parity_level, r.parity_level) << where;
  }
}

}  // namespace assay::parity::verdict_test
