// SPDX-License-Identifier: Apache-2.0
/// Which Dice and which MCC can go together, and what that says about a published table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "assay/parity/paper.hpp"

namespace assay::parity {

struct Bounds {
  double low = 0, high = 0;
};

/// Part of the volume that the reference's lesion takes.
struct LesionFractions {
  double low = 0.002, high = 0.02;
};

/// The MCC that a foreground Dice leaves open, over every volume of the prediction and every
/// lesion fraction of the range. Nothing unless 0 < dice <= 1.
std::optional<Bounds> mcc_bounds(double dice, const LesionFractions& fractions = {});

/// The way back: the foreground Dice that an MCC leaves open. Nothing unless 0 < mcc <= 1.
std::optional<Bounds> dice_bounds(double mcc, const LesionFractions& fractions = {});

/// The mean of the lesion's and the background's Dice that a foreground Dice leaves open.
std::optional<Bounds> macro_dice_bounds(double dice, const LesionFractions& fractions = {});

/// The macro Dice that an MCC leaves open.
std::optional<Bounds> macro_dice_of_mcc(double mcc, const LesionFractions& fractions = {});

/// Dice = slope * MCC + intercept by least squares over the models that report both.
struct DiceMccLine {
  std::size_t models = 0;
  double slope = 0, intercept = 0, correlation = 0, largest_residual = 0;
  std::optional<double> std_ratio{};  ///< mean of SD(Dice) / SD(MCC) where both are reported
};

/// Nothing with fewer than three models or without any spread.
std::optional<DiceMccLine> dice_mcc_line(std::span<const PaperModel> models);

/// Means of many cases, rounded to three decimals, may leave the bounds of one case by this much.
inline constexpr double bounds_tolerance = 0.005;

/// What a pair of Dice and MCC can be.
struct DiceMccPair {
  double dice = 0, mcc = 0;
  std::optional<Bounds> mcc_if_foreground{}, dice_if_macro{};
  bool as_foreground = false, as_macro = false;
};

DiceMccPair dice_mcc_pair(double dice, double mcc, const LesionFractions& fractions = {});

struct Consistency {
  LesionFractions fractions{};
  std::optional<DiceMccLine> line{};
  std::size_t rows = 0, rows_as_foreground = 0, rows_as_macro = 0;  ///< of the paper's table
  std::optional<DiceMccPair> paper{}, achieved{};
};

/// The consistency of the whole table, of the target row, and of what was achieved.
Consistency consistency(const Paper& paper, const PaperModel& target, std::optional<double> dice,
                        std::optional<double> mcc);

}  // namespace assay::parity
