// SPDX-License-Identifier: Apache-2.0
/// The 95 % interval of a mean over cases: Student's t, BCa, or t over clusters.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "assay/cohort.hpp"

namespace assay::metrics {

std::vector<double> defined(std::span<const Score> scores);

/// An interval within a range.
struct CutInterval {
  std::pair<double, double> ends;
  bool clipped = false;  ///< it was longer than the range allows
};

/// Cut to the range of `rules`; NaN stays NaN. There is none for fewer than `least_pairs` clusters.
/// `of` has at least two values, their mean and SD.
std::optional<CutInterval> mean_interval(std::span<const Score> scores, const SummaryRules& rules,
                                         const Summary& of);

}  // namespace assay::metrics
