// SPDX-License-Identifier: Apache-2.0
/// Lesions as results files show them.
#pragma once

#include <span>

#include "assay/base/json.hpp"
#include "assay/metrics/lesions.hpp"

namespace assay::results {

/// The list of one label in one case: volume, centroid, and what each lesion was matched with.
Json lesions_json(const metrics::LesionEvidence& evidence, double voxel_ml);

/// How many of the reference's lesions were detected, by size, over all given cases.
Json sensitivity_json(std::span<const metrics::LesionEvidence* const> evidence);

/// The rule that every lesion metric depends on.
Json lesion_settings_json(const metrics::LesionSettings& settings);

}  // namespace assay::results
