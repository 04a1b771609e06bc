// SPDX-License-Identifier: Apache-2.0
/// What to check before claiming a replication: what holds, what does not, and what cannot be
/// checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/parity/achieved.hpp"
#include "assay/parity/comparison.hpp"
#include "assay/parity/verdict.hpp"

namespace assay::parity {

enum class CheckAnswer { yes, no, cannot_be_checked };

std::string_view name(CheckAnswer answer);

struct CheckItem {
  std::string item{};
  CheckAnswer answer = CheckAnswer::cannot_be_checked;
  std::string because{};
};

/// What the checks look at.
struct CheckInput {
  const Achieved& achieved;
  const PaperModel& paper;
  const ParityLimits& limits;
  const ParityResult& result;
  const SpreadReading& dice_std;  ///< the one that was used
  const std::optional<PaperComparison>& comparison;
};

/// The specification's six items before claiming a replication.
std::vector<CheckItem> success_checklist(const CheckInput& input);

/// The specification's conditions of a minimum viable replication: Dice, parameters, architecture.
std::vector<CheckItem> minimum_viable(const CheckInput& input);

/// "runs", "subjects", "outer folds", or that the file does not say.
std::string_view words(SpreadOver spread);

}  // namespace assay::parity
