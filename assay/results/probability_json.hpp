// SPDX-License-Identifier: Apache-2.0
/// Maps of probabilities as results files show them.
#pragma once

#include "assay/base/json.hpp"
#include "assay/cohort.hpp"

namespace assay::results {

/// For one label in one case: overlap by threshold with the best one, and the calibration's bins.
Json probability_json(const metrics::ProbabilityEvidence& evidence);

/// The means over all cases by threshold, with the best one; null when no case has probabilities.
Json sweep_json(const metrics::SegmentationResult& result, std::size_t region);

/// What the metrics of probabilities depend on.
Json probability_settings_json();

}  // namespace assay::results
