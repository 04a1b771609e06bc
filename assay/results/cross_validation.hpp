// SPDX-License-Identifier: Apache-2.0
/// `experiment_results.json`, schema `assay.folds/1`. docs/formats/experiment.md describes it.
#pragma once

#include <string>
#include <string_view>

#include "assay/compare/cross_validation.hpp"
#include "assay/results.hpp"
#include "assay/results/runs.hpp"

namespace assay::results {

inline constexpr std::string_view folds_schema = "assay.folds/1";

/// The text of the file: the keys that readers of such files know, and every spread by its name.
/// `folders` says where the runs came from; its own runs are not used.
std::string experiment_text(const compare::CrossValidation& result, const RunFolders& folders,
                            const Provenance& provenance);

}  // namespace assay::results
