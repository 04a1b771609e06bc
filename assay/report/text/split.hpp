// SPDX-License-Identifier: Apache-2.0
/// How evenly a split shares the cases, on one screen.
#pragma once

#include <string>

#include "assay/results/split.hpp"

namespace assay {

/// A row per stratum, a column per outer fold: how many cases each fold tests.
std::string balance_table(const SplitManifest& manifest, const SplitSettings& settings,
                          const NestedFolds& folds);

}  // namespace assay
