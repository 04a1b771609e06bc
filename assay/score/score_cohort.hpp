// SPDX-License-Identifier: Apache-2.0
/// A cohort, scored on all cores, with a journal to resume from.
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

/// The run that wrote a results file, if it asked for the same as this one and every case was
/// scored from the files that are there now; then nothing is left to do. Throws Error when the
/// results are of other settings, cases or another version, and no journal says otherwise.
std::optional<results::FinishedRun> find_finished_cohort(const Cohort& cohort,
                                                         const Execution& execution,
                                                         const std::filesystem::path& results);

/// What follows from the records of all cases. Throws Error when that would be worthless.
metrics::SegmentationResult result_of(const Cohort& cohort, metrics::CaseRecords records);

/// Whether a case that was scored before is as it would be now.
bool is_current(const metrics::CaseRecord& record, const CasePlan& plan,
                const Execution& execution);

}  // namespace assay::score
