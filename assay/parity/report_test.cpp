// SPDX-License-Identifier: Apache-2.0
#include "assay/parity/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/parity.hpp"

namespace assay::parity::report_test {

using ::testing::HasSubstr;

SpreadReading spread(SpreadOver over, double std, std::size_t n, const char* place) {
  return {.over = over, .std = {.value = std, .place = place}, .n = n};
}

/// The paper's own numbers, with the SD that the original system writes.
Achieved reached() {
  Achieved a = {.source = "results.json", .origin = "summary"};
  a.dice = {.value = 0.876, .place = "summary.test_mean_dice"};
  a.avd = {.value = 0.245, .place = "summary.test_mean_avd"};
  a.mcc = {.value = 0.760, .place = "summary.test_mean_mcc"};
  a.dice_std = spread(SpreadOver::subjects, 0.264, 223, "summary.test_std_dice");
  return a;
}

ParityReport reported(const Achieved& a, const ParityOptions& options = {}) {
  return parity_report(a, built_in_paper(), "", options);
}

std::string why(const ParityReport& r) {
  return joined(r.explanation, "\n");
}

TEST(ParityReport, subjects_are_not_runs) {
  const ParityReport r = reported(reached());
  EXPECT_EQ(r.result.parity_level, ParityLevel::acceptable);
  EXPECT_EQ(r.dice_std.over, SpreadOver::subjects);
  EXPECT_THAT(why(r), HasSubstr("An SD over subjects measures how cases differ"));
}

TEST(ParityReport, the_spread_like_the_papers_decides) {
  Achieved a = reached();
  a.spreads = {spread(SpreadOver::outer_folds, 0.02, 3, "folds"),
               spread(SpreadOver::runs, 0.012, 30, "summary.test_std_dice_per_run")};
  const ParityReport r = reported(a);
  EXPECT_EQ(r.result.parity_level, ParityLevel::strict);
  EXPECT_EQ(r.result.dice_std, 0.012);
  EXPECT_EQ(r.dice_std.over, SpreadOver::runs);
  ASSERT_EQ(r.by_spread.size(), 3U);
  EXPECT_EQ(r.by_spread[0].level, ParityLevel::acceptable);
  EXPECT_TRUE(r.by_spread[2].used && !r.by_spread[0].used);
  EXPECT_THAT(why(r), HasSubstr("was not used for the level"));
  EXPECT_THAT(why(r),
              HasSubstr("With the SD over subjects (0.2640) the level would be acceptable"));

  a.spreads.pop_back();
  EXPECT_EQ(reported(a).dice_std.over, SpreadOver::outer_folds);
  a.spreads[0].n = 1;  // one fold has no spread
  EXPECT_EQ(reported(a).dice_std.over, SpreadOver::subjects);
}

TEST(ParityReport, an_sd_that_does_not_say_its_kind_is_taken) {
  Achieved a = reached();
  a.dice_std = {.over = SpreadOver::unknown, .std = {.value = 0.02, .place = "own"}};
  a.spreads = {spread(SpreadOver::runs, 0.2, 30, "runs")};
  EXPECT_EQ(reported(a).result.dice_std, 0.02);
  a.dice_std.std = {.missing = "absent"};
  EXPECT_EQ(reported(a).result.dice_std, 0.2);
}

TEST(ParityReport, the_macro_verdict) {
  Achieved a = reached();  // fits its MCC as a macro Dice only
  EXPECT_TRUE(reported(a).macro.already);
  EXPECT_EQ(reported(a).macro.level, ParityLevel::acceptable);

  a.dice.value = 0.757;  // of the foreground
  ParityReport r = reported(a);
  EXPECT_EQ(r.result.parity_level, ParityLevel::failed);
  ASSERT_TRUE(r.macro.estimated);
  EXPECT_LT(r.macro.estimated->low, 0.876);
  EXPECT_GT(r.macro.estimated->high, 0.876);
  EXPECT_EQ(r.macro.level, ParityLevel::acceptable);  // but for the SD, which is over subjects
  EXPECT_THAT(why(r), HasSubstr("Like for like, our macro Dice would be"));

  a.dice_macro = {.value = 0.8755, .place = "metrics.dice_macro"};
  a.macro_spreads = {spread(SpreadOver::subjects, 0.02, 223, "metrics.dice_macro")};
  r = reported(a);
  EXPECT_FALSE(r.macro.estimated);
  EXPECT_EQ(r.macro.level, ParityLevel::strict);
  EXPECT_THAT(why(r), HasSubstr("Like for like, our macro Dice of 0.8755 compares with the paper's "
                                "0.876. With it the level would be strict."));
  a.avd.value = 0.5;
  r = reported(a);
  EXPECT_EQ(r.macro.level, ParityLevel::minimum);
  EXPECT_THAT(why(r), HasSubstr("would be minimum, because AVD is not acceptable."));
}

TEST(ParityReport, missing_values_are_named_not_invented) {
  Achieved a = reached();
  a.avd = {.missing = "summary.test_mean_avd is Infinity"};
  const ParityReport r = reported(a);
  EXPECT_EQ(r.result.parity_level, ParityLevel::not_assessable);
  EXPECT_THAT(why(r), HasSubstr("Not assessable: summary.test_mean_avd is Infinity"));
  EXPECT_THAT(r.benchmark_table, HasSubstr("| 0.876 (0.264) | – | 0.760 | not_assessable |"));
  EXPECT_THROW(reported(a, {.compat_spec = true}), Error);
}

CheckAnswer answer(const std::vector<CheckItem>& items, std::size_t i) {
  return items.at(i).answer;
}

TEST(ParityReport, the_checklist_says_what_cannot_be_seen) {
  Achieved a = reached();
  ParityReport r = reported(a);
  ASSERT_EQ(r.checklist.size(), 6U);
  constexpr auto yes = CheckAnswer::yes, no = CheckAnswer::no,
                 open = CheckAnswer::cannot_be_checked;
  const CheckAnswer bare[] = {yes, no, open, open, yes, open};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(answer(r.checklist, i), bare[i]) << i;

  a.runs = 30;
  a.outer_folds = 3;
  a.sample = {.values = std::vector<double>(10, 0.7), .over = SpreadOver::runs};
  EXPECT_EQ(answer(reported(a).checklist, 5), open);  // equal values cannot be tested
  for (std::size_t i = 0; i < 10; ++i) a.sample.values[i] += 0.001 * static_cast<double>(i);
  r = reported(a);
  EXPECT_THAT(why(r), HasSubstr("Runs of a cross-validation share their training cases"));
  EXPECT_EQ(answer(r.checklist, 2), no);
  EXPECT_THAT(r.checklist[2].because, HasSubstr("every outer fold and restart"));
  EXPECT_EQ(answer(r.checklist, 3), yes);
  EXPECT_EQ(answer(r.checklist, 5), no);
  a.runs = 90;
  EXPECT_EQ(answer(reported(a).checklist, 2), yes);
}

TEST(ParityReport, minimum_viable_looks_at_the_network) {
  Achieved a = reached();
  EXPECT_EQ(answer(reported(a).minimum_viable, 1), CheckAnswer::cannot_be_checked);
  a.description = {
      .parameters = 147474, .dilations = {1, 2, 4, 8, 16, 16, 8, 4, 2, 1}, .place = "f"};
  ParityReport r = reported(a);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(answer(r.minimum_viable, i), CheckAnswer::yes) << i;
  EXPECT_NEAR(*r.dice_per_million, 5.940, 0.0005);
  a.description.dilations.pop_back();  // without the classifier
  EXPECT_EQ(answer(reported(a).minimum_viable, 2), CheckAnswer::yes);
  a.description = {.parameters = 147473, .dilations = {1, 2, 4, 8, 16, 8, 4, 2, 1}};
  r = reported(a);
  EXPECT_EQ(answer(r.minimum_viable, 1), CheckAnswer::no);
  EXPECT_EQ(answer(r.minimum_viable, 2), CheckAnswer::no);
}

TEST(ParityReport, variants_and_papers) {
  Achieved a = reached();
  a.variant = "meshnet_5";
  EXPECT_THAT(joined(reported(a).warnings), HasSubstr("says that its model is meshnet_5"));
  EXPECT_THROW(parity_report(a, built_in_paper(), "meshnet_62"), Error);
  Paper other = {.source = "paper.json",
                 .models = {{.key = "net", .name = "Net", .dice = {.mean = 0.7, .std = 0.1}}},
                 .gives_limits = false};
  const ParityReport r = parity_report(a, other, "");
  EXPECT_EQ(r.result.model, "net");
  EXPECT_THAT(joined(r.warnings), HasSubstr("gives no limits"));
  EXPECT_FALSE(r.consistency.paper || r.consistency.line);
}

TEST(ParityReport, better_is_not_strict_and_says_so) {
  Achieved a = reached();
  a.dice.value = 0.95;
  a.avd.value = 0.1;
  a.mcc.value = 0.9;
  const ParityReport r = reported(a);
  EXPECT_EQ(r.result.parity_level, ParityLevel::acceptable);
  EXPECT_THAT(why(r), HasSubstr("better ones do not reach it"));
}

TEST(BenchmarkTable, as_specified) {
  Achieved a = reached();
  a.dice_std.std.value = 0.016;
  const std::string head =
      "| Model | Parameters | DICE (↑) | AVD (↓) | MCC (↑) | Parity |\n"
      "|-------|------------|----------|---------|---------|--------|\n"
      "| meshnet_26 (paper) | 147,474 | 0.876 (0.016) | 0.245 (0.036) | 0.760 (0.030) | ref |\n"
      "| meshnet_16 (paper) | 56,194 | 0.873 (0.007) | 0.249 (0.033) | 0.757 (0.013) | ref |\n"
      "| meshnet_5 (paper) | 5,682 | 0.848 (0.023) | 0.280 (0.060) | 0.708 (0.042) | ref |\n"
      "|---|---|---|---|---|---|\n";
  // The specification judges its row as meshnet_26 whatever was asked for.
  EXPECT_EQ(parity_report(a, built_in_paper(), "meshnet_5", {.compat_spec = true}).benchmark_table,
            head + "| meshnet_26 (ours) | - | 0.876 (0.016) | 0.245 | 0.760 | ✅ strict |");
  EXPECT_EQ(parity_report(a, built_in_paper(), "meshnet_5").benchmark_table,
            head + "| meshnet_5 (ours) | – | 0.876 (0.016) | 0.245 | 0.760 | acceptable |");
}

}  // namespace assay::parity::report_test
