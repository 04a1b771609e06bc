// SPDX-License-Identifier: Apache-2.0
/// How evenly a split shares the cases, on one screen.
#pragma once

#include <string>

#include "assay/results/split.hpp"

namespace assay::report {

/// A row per stratum, a column per outer fold: how many cases each fold tests.
std::string balance_table(const results::SplitManifest& manifest,
                          const results::SplitSettings& settings, const stats::NestedFolds& folds);

}  // namespace assay::report
