// SPDX-License-Identifier: Apache-2.0
/// The four levels of parity, and not assessable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/parity/paper.hpp"

namespace assay::parity {

enum class ParityLevel { strict, acceptable, minimum, failed, not_assessable };

std::string_view name(ParityLevel level);

/// strict, acceptable or minimum. Throws Error::usage for any other word.
ParityLevel parity_level(std::string_view name);

/// Whether a level is at least the required one; what cannot be assessed reaches nothing.
bool reaches(ParityLevel level, ParityLevel required);

/// Bounds are inclusive: |0.886 - 0.876| is above 0.01 in doubles, and must not be.
inline constexpr double parity_slack = 1e-9;

/// The numbers that decide; nothing where the file has none.
struct ParityValues {
  std::optional<double> dice, dice_std, avd, mcc;
};

/// Nothing where the achieved or the published number is missing.
struct MetricDetail {
  std::optional<double> achieved{}, paper{}, diff{}, pct_diff{};
  std::optional<bool> within_tolerance{}, acceptable{}, minimum{};  ///< minimum: of Dice only
  std::optional<bool> meets_or_exceeds{};  ///< at least as good as the mean
  std::optional<bool> within_paper_sd{};   ///< mean +- SD of the paper
};

struct StdDetail {
  std::optional<double> achieved{}, paper{};
  std::optional<bool> acceptable{};
};

struct ParityDetails {
  MetricDetail dice;
  StdDetail dice_std;
  MetricDetail avd, mcc;
};

struct ParityResult {
  std::string model;
  std::optional<double> dice_mean, dice_std, avd_mean, mcc_mean;
  ParityLevel parity_level = ParityLevel::not_assessable;
  ParityDetails details;
  std::optional<bool> meets_or_exceeds{};  ///< in every metric that the paper reports
};

/// `slack` 0 gives the specification's raw comparisons. A metric that the paper reports and the
/// experiment lacks makes the level not assessable; so does a missing SD when it alone would decide
/// between strict and less.
ParityResult parity_of(const ParityValues& values, const PaperModel& paper,
                       const ParityLimits& limits = {}, double slack = parity_slack);

}  // namespace assay::parity
