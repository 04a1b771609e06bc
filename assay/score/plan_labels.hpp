// SPDX-License-Identifier: Apache-2.0
/// Which labels and regions of a cohort are scored, and what they are called.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/score.hpp"

namespace assay::score {

bool asks_for_labels(const CohortRequest& request);

/// Fills regions, all_labels and the ignored label of `settings` from the request and, where there
/// is one, from nnU-Net's dataset.json. Anything found without being asked for is reported in
/// `notes`.
void settle_labels(const CohortRequest& request, const std::vector<CasePlan>& cases,
                   metrics::ScoreSettings& settings, std::vector<std::string>& notes);

/// The structures that are matched by name, as regions.
std::vector<metrics::Region> structure_regions(const std::vector<CasePlan>& cases);

/// Names labels after the segments of the files. If no labels were requested, all are scored.
void name_by_segments(const CohortRequest& request, Cohort& cohort);

/// Gives regions the names and colours that a table has for their labels.
void name_by_table(const std::filesystem::path& table, std::vector<metrics::Region>& regions);

}  // namespace assay::score
