// SPDX-License-Identifier: Apache-2.0
/// Scores a cohort on all cores, with a journal to resume from.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/results/segmentation.hpp"
#include "assay/score.hpp"

namespace assay::score {

/// The run that wrote a results file, if it had the same request as this one and scored every case
/// from the files that are there now. Then nothing is left to do. Throws Error when the results
/// have other settings, cases or another version, and no journal says otherwise.
std::optional<results::FinishedRun> find_finished_cohort(const Cohort& cohort,
                                                         const Execution& execution,
                                                         const std::filesystem::path& results);

/// The result computed from the records of all cases. Throws Error when it would be meaningless.
metrics::SegmentationResult result_of(const Cohort& cohort, metrics::CaseRecords records);

/// Whether a case that was scored before would give the same record now.
bool is_current(const metrics::CaseRecord& record, const CasePlan& plan,
                const Execution& execution);

}  // namespace assay::score
