// SPDX-License-Identifier: Apache-2.0
/// A scored cohort on one screen.
#pragma once

#include <string>

#include "assay/cohort.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::report {

struct TerminalStyle {
  bool color = false;
  std::size_t worst_cases = 5;  ///< how many of the lowest cases are listed
};

/// The headline, a table per label with mean, SD, median, IQR, 95 % CI, n and undefined, the mean
/// with failures counted, and the worst cases.
std::string terminal_report(const metrics::SegmentationResult& result, const TerminalStyle& style);

/// The tables of a run that was finished earlier, from its results file.
std::string terminal_report(const results::SegmentationFile& run,
                            const metrics::ScoreSettings& settings, const TerminalStyle& style);

/// Only the table of summaries over case averages.
std::string summary_table(const metrics::SegmentationResult& result, const TerminalStyle& style);

}  // namespace assay::report
