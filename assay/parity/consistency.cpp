// SPDX-License-Identifier: Apache-2.0
//
// Let the volume be 1, the lesion of the reference take the fraction f of it, and the prediction
// r f. A Dice D fixes the overlap, TP = D f (1 + r) / 2, and with it
//
//   MCC(r) = (TP - r f^2) / sqrt(r f^2 (1 - f) (1 - r f)).
//
// TP cannot exceed either mask, so D / (2 - D) <= r <= (2 - D) / D. d MCC / d r = 0 has the single
// solution r = D / (D - 2 f (1 - D)), a minimum, where MCC^2 = D (D (1 + f) - 2 f) / (1 - f). The
// largest MCC is at an end: prediction inside reference (FP = 0) or the reverse (FN = 0), where it
// is sqrt(r (1 - f) / (1 - r f)) and sqrt((1 - r f) / (r (1 - f))). All three fall with f, so the
// lower bound of a range of fractions is taken at its upper end and the upper bound at its lower.
// For small f: D <= MCC <= sqrt(D / (2 - D)). So a foreground Dice leaves little freedom to its
// MCC.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/parity.hpp"
#include "assay/stats/moments.hpp"

namespace assay::parity {
namespace {

bool is_share(double x) {
  return x > 0 && x <= 1;
}

/// The smallest MCC at fraction f; below D = 2 f / (1 + f) a prediction is no better than chance.
double lowest_mcc(double dice, double f) {
  return std::sqrt(std::max(0.0, dice * (dice * (1 + f) - 2 * f) / (1 - f)));
}

double highest_mcc(double dice, double f) {
  const double inside = dice / (2 - dice), around = std::min(1 / inside, 1 / f);
  return std::sqrt(
      std::max(inside * (1 - f) / (1 - inside * f), (1 - around * f) / (around * (1 - f))));
}

/// The Dice of the background, when reference and prediction take up f and r f.
double background_dice(double dice, double f, double r) {
  const double errors = f * (1 + r) * (1 - dice);
  const double tn = std::max(0.0, 1 - f * (1 + r) * dice / 2 - errors);
  return 2 * tn / (2 * tn + errors);
}

}  // namespace

std::optional<Bounds> mcc_bounds(double dice, const LesionFractions& fractions) {
  if (!is_share(dice)) return std::nullopt;
  return Bounds{lowest_mcc(dice, fractions.high), highest_mcc(dice, fractions.low)};
}

std::optional<Bounds> dice_bounds(double mcc, const LesionFractions& fractions) {
  if (!is_share(mcc)) return std::nullopt;
  const double m = mcc * mcc, low = fractions.low, high = fractions.high;
  const double inside = m / (1 - low + m * low);    // r with FP = 0; Dice is then 2 r / (1 + r)
  const double around = 1 / (m * (1 - low) + low);  // r with FN = 0; Dice is then 2 / (1 + r)
  const double root = std::sqrt(high * high + (1 + high) * m * (1 - high));
  return Bounds{std::min(2 * inside / (1 + inside), 2 / (1 + around)),
                std::min(1.0, (high + root) / (1 + high))};
}

std::optional<Bounds> macro_dice_bounds(double dice, const LesionFractions& fractions) {
  if (!is_share(dice)) return std::nullopt;
  // Errors lower the background's Dice most when there are many: for the largest lesion and the
  // largest mask.
  const double least = dice / (2 - dice);
  return Bounds{(dice + background_dice(dice, fractions.high, 1 / least)) / 2,
                (dice + background_dice(dice, fractions.low, least)) / 2};
}

std::optional<Bounds> macro_dice_of_mcc(double mcc, const LesionFractions& fractions) {
  const auto dice = dice_bounds(mcc, fractions);
  if (!dice) return std::nullopt;
  return Bounds{macro_dice_bounds(dice->low, fractions)->low,
                macro_dice_bounds(dice->high, fractions)->high};
}

std::optional<DiceMccLine> dice_mcc_line(std::span<const PaperModel> models) {
  std::vector<double> dice, mcc, ratios;
  for (const PaperModel& m : models) {
    if (!m.mcc) continue;
    dice.push_back(m.dice.mean);
    mcc.push_back(m.mcc->mean);
    if (m.dice.std && m.mcc->std.value_or(0) > 0) ratios.push_back(*m.dice.std / *m.mcc->std);
  }
  if (dice.size() < 3) return std::nullopt;
  const double mean_dice = stats::mean(dice), mean_mcc = stats::mean(mcc);
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < dice.size(); ++i) {
    const double x = mcc[i] - mean_mcc, y = dice[i] - mean_dice;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  DiceMccLine line = {
      .models = dice.size(), .slope = xy / xx, .correlation = xy / std::sqrt(xx * yy)};
  line.intercept = mean_dice - line.slope * mean_mcc;
  for (std::size_t i = 0; i < dice.size(); ++i)
    line.largest_residual =
        std::max(line.largest_residual, std::fabs(dice[i] - line.slope * mcc[i] - line.intercept));
  if (!ratios.empty()) line.std_ratio = stats::mean(ratios);
  return line;
}

DiceMccPair dice_mcc_pair(double dice, double mcc, const LesionFractions& fractions) {
  const auto within = [](const std::optional<Bounds>& bounds, double x) {
    return bounds && x >= bounds->low - bounds_tolerance && x <= bounds->high + bounds_tolerance;
  };
  DiceMccPair pair = {.dice = dice, .mcc = mcc};
  pair.mcc_if_foreground = mcc_bounds(dice, fractions);
  pair.dice_if_macro = macro_dice_of_mcc(mcc, fractions);
  pair.as_foreground = within(pair.mcc_if_foreground, mcc);
  pair.as_macro = within(pair.dice_if_macro, dice);
  return pair;
}

Consistency consistency(const Paper& paper, const PaperModel& target, std::optional<double> dice,
                        std::optional<double> mcc) {
  Consistency c = {.line = dice_mcc_line(paper.models)};
  for (const PaperModel& model : paper.models) {
    if (!model.mcc) continue;
    const DiceMccPair pair = dice_mcc_pair(model.dice.mean, model.mcc->mean, c.fractions);
    ++c.rows;
    c.rows_as_foreground += pair.as_foreground;
    c.rows_as_macro += pair.as_macro;
  }
  if (target.mcc) c.paper = dice_mcc_pair(target.dice.mean, target.mcc->mean, c.fractions);
  if (dice && mcc) c.achieved = dice_mcc_pair(*dice, *mcc, c.fractions);
  return c;
}

}  // namespace assay::parity
