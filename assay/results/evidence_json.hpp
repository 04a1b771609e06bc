// SPDX-License-Identifier: Apache-2.0
/// Lesions, probability maps and rows of the metric table as results files show them.
#pragma once

#include <span>

#include "assay/base/json.hpp"
#include "assay/cohort.hpp"

namespace assay::results {

/// The value that a failure of the model counts as; null where failures do not count.
Json failure_json(const metrics::Metric& metric);

/// The lesions of one label in one case: volume, centroid, and what each lesion was matched with.
Json lesions_json(const metrics::LesionEvidence& evidence, double voxel_ml);

/// How many of the reference's lesions were detected, by size, over all given cases.
Json sensitivity_json(std::span<const metrics::LesionEvidence* const> evidence);

/// The rule that every lesion metric depends on.
Json lesion_settings_json(const metrics::LesionSettings& settings);

/// For one label in one case: overlap by threshold with the best threshold, and the calibration
/// bins.
Json probability_json(const metrics::ProbabilityEvidence& evidence);

/// The means over all cases by threshold, with the best threshold; null when no case has
/// probabilities.
Json sweep_json(const metrics::SegmentationResult& result, std::size_t region);

/// The settings that probability metrics depend on.
Json probability_settings_json();

}  // namespace assay::results
