// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/parity.hpp"

namespace assay::parity::consistency_test {

constexpr double tiny = 1e-9;

/// The definitions, from four counts.
struct Counts {
  double tp, fp, fn, tn;
  double dice() const { return 2 * tp / (2 * tp + fp + fn); }
  double background_dice() const { return 2 * tn / (2 * tn + fp + fn); }
  double macro() const { return (dice() + background_dice()) / 2; }
  double mcc() const {
    return (tp * tn - fp * fn) / std::sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn));
  }
};

/// Every confusion matrix of 20,000 voxels with a lesion of 0.2 to 2 %, coarsely.
template <class Visit>
void for_each_matrix(Visit visit) {
  const int voxels = 20000;
  for (const int lesion : {40, 57, 100, 200, 333, 400})
    for (int predicted = 1; predicted <= 4 * lesion; predicted += 1 + lesion / 50)
      for (int tp = 1; tp <= std::min(lesion, predicted); tp += 1 + lesion / 100)
        visit(Counts{double(tp), double(predicted - tp), double(lesion - tp),
                     double(voxels - lesion - predicted + tp)});
}

TEST(Consistency, bounds_hold_for_every_confusion_matrix) {
  int seen = 0;
  for_each_matrix([&](const Counts& c) {
    if (c.dice() < 0.1 || c.mcc() <= 0) return;
    ++seen;
    const auto mcc = mcc_bounds(c.dice()), dice = dice_bounds(c.mcc()),
               macro = macro_dice_bounds(c.dice()), from_mcc = macro_dice_of_mcc(c.mcc());
    ASSERT_TRUE(mcc && dice && macro && from_mcc);
    ASSERT_TRUE(c.mcc() >= mcc->low - tiny && c.mcc() <= mcc->high + tiny)
        << c.tp << ' ' << c.fp << ' ' << c.fn;
    ASSERT_TRUE(c.dice() >= dice->low - tiny && c.dice() <= dice->high + tiny)
        << c.tp << ' ' << c.fp << ' ' << c.fn;
    ASSERT_TRUE(c.macro() >= macro->low - tiny && c.macro() <= macro->high + tiny)
        << c.tp << ' ' << c.fp << ' ' << c.fn;
    ASSERT_TRUE(c.macro() >= from_mcc->low - tiny && c.macro() <= from_mcc->high + tiny)
        << c.tp << ' ' << c.fp << ' ' << c.fn;
  });
  EXPECT_GT(seen, 40000);
}

/// They are reached, so they could not be narrower.
TEST(Consistency, bounds_are_tight) {
  std::map<int, Bounds> found;  // by Dice in hundredths, give or take 0.001
  for_each_matrix([&](const Counts& c) {
    const int hundredths = static_cast<int>(std::lround(100 * c.dice()));
    if (hundredths < 30 || std::fabs(c.dice() - hundredths / 100.0) > 0.001) return;
    auto& b = found.try_emplace(hundredths, Bounds{2, -2}).first->second;
    b = {std::min(b.low, c.mcc()), std::max(b.high, c.mcc())};
  });
  for (const int hundredths : {40, 50, 67, 80, 88}) {
    const auto bounds = mcc_bounds(hundredths / 100.0);
    EXPECT_NEAR(found.at(hundredths).low, bounds->low, 0.004) << hundredths;
    EXPECT_NEAR(found.at(hundredths).high, bounds->high, 0.004) << hundredths;
  }
}

TEST(Consistency, dice_and_mcc_are_inverse) {
  for (const double dice : {0.3, 0.667, 0.876, 1.0}) {
    const auto mcc = mcc_bounds(dice);
    EXPECT_NEAR(dice_bounds(mcc->low)->high, dice, 1e-12);
    EXPECT_NEAR(dice_bounds(mcc->high)->low, dice, 1e-12);
  }
  EXPECT_NEAR(mcc_bounds(1.0)->low, 1, 1e-12);
  for (const double none : {0.0, -0.2, 1.2, std::nan("")}) {
    EXPECT_FALSE(mcc_bounds(none));
    EXPECT_FALSE(dice_bounds(none));
    EXPECT_FALSE(macro_dice_bounds(none));
    EXPECT_FALSE(macro_dice_of_mcc(none));
  }
}

TEST(Consistency, the_published_pair_cannot_be_of_the_foreground) {
  const DiceMccPair pair = dice_mcc_pair(0.876, 0.760);
  EXPECT_NEAR(pair.mcc_if_foreground->low, 0.873, 0.0005);
  EXPECT_NEAR(pair.mcc_if_foreground->high, 0.883, 0.0005);
  EXPECT_FALSE(pair.as_foreground);
  EXPECT_TRUE(pair.as_macro);
  const DiceMccPair real = dice_mcc_pair(0.667320, 0.676835);  // a run on 75 subjects
  EXPECT_TRUE(real.as_foreground);
  EXPECT_FALSE(real.as_macro);
  EXPECT_NEAR(macro_dice_bounds(0.667)->high, 0.833, 0.001);
}

TEST(Consistency, the_published_rows_lie_on_the_macro_line) {
  const Paper paper = built_in_paper();
  const Consistency c = consistency(paper, paper.models.front(), std::nullopt, std::nullopt);
  ASSERT_TRUE(c.line);
  EXPECT_EQ(c.line->models, 14U);
  EXPECT_NEAR(c.line->slope, 0.527, 0.0005);
  EXPECT_NEAR(c.line->intercept, 0.475, 0.0005);
  EXPECT_NEAR(c.line->correlation, 0.998, 0.0005);
  EXPECT_LT(c.line->largest_residual, 0.0035);
  EXPECT_NEAR(*c.line->std_ratio, 0.52, 0.02);
  EXPECT_EQ(c.rows, 14U);
  EXPECT_EQ(c.rows_as_macro, 14U);
  EXPECT_EQ(c.rows_as_foreground, 0U);
  EXPECT_FALSE(c.achieved);
}

TEST(Consistency, a_line_needs_three_models_that_differ) {
  const auto model = [](double dice, double mcc) {
    return PaperModel{
        .key = "k", .name = "k", .dice = {.mean = dice}, .mcc = PaperValue{.mean = mcc}};
  };
  const std::vector<PaperModel> line = {model(0.2, 0.1), model(0.4, 0.2), model(0.8, 0.4)};
  EXPECT_NEAR(dice_mcc_line(line)->slope, 2, 1e-12);
  EXPECT_NEAR(dice_mcc_line(line)->intercept, 0, 1e-12);
  EXPECT_FALSE(dice_mcc_line(line)->std_ratio);
  EXPECT_FALSE(dice_mcc_line(std::span(line).first(2)));
  EXPECT_FALSE(dice_mcc_line(std::vector(3, model(0.5, 0.5))));
}

}  // namespace assay::parity::consistency_test
