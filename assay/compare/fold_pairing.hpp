// SPDX-License-Identifier: Apache-2.0
/// Who was tested where: restarts of an outer fold must agree on it, outer folds must not overlap.
#pragma once

#include <string>
#include <vector>

#include "assay/compare/cross_validation.hpp"

namespace assay::compare {

/// The runs of one outer fold, by restart, all with the subjects in the same order.
struct PairedFold {
  std::size_t number = 0;
  std::vector<std::string> subjects;
  std::vector<FoldRun> runs;
};

/// By number. Subjects are identified by their ids, or by their indices if a run has no ids. Throws
/// Error naming runs and subject: a run given twice, a subject twice in a run, restarts with other
/// subjects, a subject in two outer folds.
std::vector<PairedFold> paired_folds(std::vector<FoldRun> runs);

}  // namespace assay::compare
