// SPDX-License-Identifier: Apache-2.0
/// A publication to compare with: its models, and what counts as matching them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::parity {

struct PaperValue {
  double mean = 0;
  std::optional<double> std{};
  bool differs = false;            ///< starred: differs from the paper's best model
  std::optional<std::size_t> n{};  ///< values that mean and SD are over, where that is known
};

struct PaperModel {
  std::string key, name;
  std::optional<long long> parameters{};
  /// A metric that the paper does not report is not judged; Dice always is.
  PaperValue dice;
  std::optional<PaperValue> avd{}, mcc{};
};

/// The specification's numbers; a paper's own file can say otherwise.
struct ParityLimits {
  double dice_tolerance = 0.01, avd_tolerance = 0.02, mcc_tolerance = 0.02;  ///< strict: mean +-
  double dice_std = 0.03;                                                    ///< strict: at most
  double acceptable_dice = 0.86, acceptable_avd = 0.30, acceptable_mcc = 0.74;
  double minimum_dice = 0.85;
};

struct Paper {
  std::string source{};  ///< the file; "" for the values that are built in
  std::vector<PaperModel> models;
  ParityLimits limits{};
  bool gives_limits = true;  ///< false: a file without limits, judged by the specification's
};

/// The 14 published models with the specification's limits.
Paper built_in_paper();

/// By key; "" is the first. Throws Error::usage with the nearest key and a list of all.
const PaperModel& variant_of(const Paper& paper, std::string_view key);

/// "Residual U-Net" as residual_u_net.
std::string model_key(std::string_view name);

/// 147474 as 147,474.
std::string with_thousands(long long number);

/// Mean Dice for each million parameters; nothing when their number is not known.
std::optional<double> dice_per_million(double dice, std::optional<long long> parameters);

}  // namespace assay::parity
