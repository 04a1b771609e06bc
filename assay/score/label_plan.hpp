// SPDX-License-Identifier: Apache-2.0
/// Which labels and regions are scored.
#pragma once

#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/score.hpp"

namespace assay::score {

/// Fills regions, all_labels and the ignored label of `settings` from the request and, where there
/// is one, from nnU-Net's dataset.json; what was found by itself is added to `notes`.
void settle_labels(const CohortRequest& request, metrics::ScoreSettings& settings,
                   std::vector<std::string>& notes);

}  // namespace assay::score
