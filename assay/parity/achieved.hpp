// SPDX-License-Identifier: Apache-2.0
/// What an experiment reached, as its file says it: every number with the place it was read from.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::parity {

/// Over what a standard deviation was taken. Subjects of one cohort differ ten times more than
/// runs.
enum class SpreadOver { subjects, runs, outer_folds, unknown };

constexpr std::string_view name(SpreadOver spread) {
  constexpr std::string_view names[] = {"subjects", "runs", "outer_folds", "unknown"};
  return names[static_cast<std::size_t>(spread)];
}

/// A number of a file, or why there is none.
struct NumberRead {
  std::optional<double> value{};
  std::string place{};    ///< such as summary.test_mean_dice
  std::string missing{};  ///< such as "summary.test_mean_avd is Infinity"
};

/// A standard deviation with ddof 0, as in the specification.
struct SpreadReading {
  SpreadOver over = SpreadOver::unknown;
  NumberRead std{};
  std::optional<std::size_t> n{};  ///< how many values, where that is known

  /// The same with ddof 1, as 'assay folds' prints it; none of fewer than two values.
  std::optional<double> sample_std() const {
    if (!std.value || n.value_or(0) < 2) return std::nullopt;
    const auto count = static_cast<double>(*n);
    return *std.value * std::sqrt(count / (count - 1));
  }
};

/// Single values, for the comparison with the paper's mean.
struct ScoreSample {
  std::vector<double> values{};  ///< finite
  SpreadOver over = SpreadOver::unknown;
  std::string place{};
  std::size_t left_out = 0;  ///< entries without a finite value
};

/// What the file, or one next to it, says about the network.
struct NetworkDescription {
  std::optional<long long> parameters{}, channels{};
  std::vector<long long> dilations{};
  std::string place{};  ///< where it was read
};

struct Achieved {
  std::string source{};   ///< the file
  std::string origin{};   ///< the part of it that was used: summary, test_results, folds ...
  std::string variant{};  ///< which model the file says it is, if it does
  NumberRead dice{}, avd{}, mcc{}, dice_macro{};
  SpreadReading dice_std{};              ///< the one that stands beside `dice`
  std::vector<SpreadReading> spreads{};  ///< all others of Dice
  std::vector<SpreadReading> macro_spreads{};
  ScoreSample sample{};
  std::optional<std::size_t> runs{}, outer_folds{};  ///< with test values
  NetworkDescription description{};
  std::vector<std::string> warnings{};
};

}  // namespace assay::parity
