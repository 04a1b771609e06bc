// SPDX-License-Identifier: Apache-2.0
/// Everything there is to say on whether an experiment reached a paper, and why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/parity/achieved.hpp"
#include "assay/parity/checklist.hpp"
#include "assay/parity/comparison.hpp"
#include "assay/parity/consistency.hpp"
#include "assay/parity/paper.hpp"
#include "assay/parity/verdict.hpp"

namespace assay::parity {

struct ParityOptions {
  double alpha = 0.05;
  double margin = 0.01;      ///< of equivalence with the paper's mean
  bool compat_spec = false;  ///< raw bounds, the SD as it stands, an Error for what is missing
  std::optional<std::size_t> paper_n{};  ///< values that the paper's mean of Dice is over
  Executor executor = {};
};

/// The level under one of the standard deviations that the file has.
struct SpreadVerdict {
  SpreadReading spread;
  ParityLevel level = ParityLevel::not_assessable;
  bool used = false;
};

/// The level if the paper's Dice is the mean over lesion and background.
struct MacroVerdict {
  NumberRead dice_macro{};            ///< as measured
  std::optional<Bounds> estimated{};  ///< from the foreground Dice, where it was not measured
  bool already = false;               ///< the file's Dice fits its MCC as a macro Dice only
  std::optional<double> dice_std{};
  ParityLevel level = ParityLevel::not_assessable;
};

struct ParityReport {
  Achieved achieved;
  std::string paper_source;  ///< the paper's file; "" for the built-in values
  PaperModel paper;
  ParityLimits limits;
  ParityOptions options;
  ParityResult result;
  SpreadReading dice_std;  ///< the one that was used
  std::vector<SpreadVerdict> by_spread{};
  MacroVerdict macro{};
  Consistency consistency{};
  std::optional<PaperComparison> comparison{};
  std::optional<double> dice_per_million{}, paper_dice_per_million{};
  std::vector<CheckItem> minimum_viable{}, checklist{};
  std::vector<std::string> warnings{}, explanation{};
  std::string benchmark_table{};  ///< Markdown
};

/// `variant` "": the paper's first model.
ParityReport parity_report(const Achieved& achieved, const Paper& paper, std::string_view variant,
                           const ParityOptions& options = {});

/// Sentences that say which numbers were compared with which, and what that is worth.
std::vector<std::string> parity_explanation(const ParityReport& report, const Paper& paper);

}  // namespace assay::parity
