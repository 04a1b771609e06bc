// SPDX-License-Identifier: Apache-2.0
/// Lesions, maps of probabilities and rows of the metric table as results files show them.
#pragma once

#include <span>

#include "assay/base/json.hpp"
#include "assay/cohort.hpp"

namespace assay::results {

/// What a failure of the model counts; null where failures do not count.
Json failure_json(const metrics::Metric& metric);

/// The list of one label in one case: volume, centroid, and what each lesion was matched with.
Json lesions_json(const metrics::LesionEvidence& evidence, double voxel_ml);

/// How many of the reference's lesions were detected, by size, over all given cases.
Json sensitivity_json(std::span<const metrics::LesionEvidence* const> evidence);

/// The rule that every lesion metric depends on.
Json lesion_settings_json(const metrics::LesionSettings& settings);

/// For one label in one case: overlap by threshold with the best one, and the calibration's bins.
Json probability_json(const metrics::ProbabilityEvidence& evidence);

/// The means over all cases by threshold, with the best one; null when no case has probabilities.
Json sweep_json(const metrics::SegmentationResult& result, std::size_t region);

/// What the metrics of probabilities depend on.
Json probability_settings_json();

}  // namespace assay::results
