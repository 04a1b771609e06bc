// SPDX-License-Identifier: Apache-2.0
/// `experiment_results.json`, schema `assay.folds/1`, and the single runs in it.
/// docs/formats/experiment.md describes it.
#pragma once

#include <string>
#include <string_view>

#include "assay/compare/cross_validation.hpp"
#include "assay/results/provenance.hpp"
#include "assay/results/runs.hpp"

namespace assay::results {

inline constexpr std::string_view folds_schema = "assay.folds/1";

/// The text of the file: the keys that readers of such files expect, and every spread under its
/// name. `folders` says where the runs came from; its own runs are not used.
std::string experiment_text(const compare::CrossValidation& result, const RunFolders& folders,
                            const Provenance& provenance);

/// The runs of such a file. The rest of it follows from them.
struct SavedFolds {
  std::string name;
  compare::Restarts restarts{};
  std::vector<compare::FoldRun> runs{};
};

/// Throws an Error::input that starts with `name` when the text is not such a file.
SavedFolds parse_folds(std::string_view text, const std::string& name);

/// The run of one file: a results.json with `per_subject_*` lists, or any results file that names
/// its cases. Values that are null, NaN or infinite count as missing. Throws an Error that names
/// file and field.
compare::FoldRun parse_run(std::string_view text, const std::string& file, const FoldName& place);

}  // namespace assay::results
