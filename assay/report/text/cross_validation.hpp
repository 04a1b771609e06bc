// SPDX-License-Identifier: Apache-2.0
/// A cross-validation on one screen.
#pragma once

#include <string>

#include "assay/compare/cross_validation.hpp"
#include "assay/report/text/terminal.hpp"
#include "assay/results/runs.hpp"
#include "assay/results/split.hpp"

namespace assay::report {

/// The headline, the named standard deviations of each metric, a row per outer fold, and what each
/// of the standard deviations is for.
std::string cross_validation_report(const compare::CrossValidation& result,
                                    const results::RunFolders& folders, const TerminalStyle& style);

// How evenly a split shares the cases, on one screen.

/// A row per stratum, a column per outer fold: how many cases each fold tests.
std::string balance_table(const results::SplitManifest& manifest,
                          const results::SplitSettings& settings, const stats::NestedFolds& folds);

}  // namespace assay::report
