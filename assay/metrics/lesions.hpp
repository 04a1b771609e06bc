// SPDX-License-Identifier: Apache-2.0
/// From two masks to lesions: their components, and which lesions of one side found which of the
/// other.
#pragma once

#include "assay/metrics.hpp"
#include "assay/metrics/boundary/boundary_metrics.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// The parts of the image that lesions need.
struct LesionScene {
  const Solids& solids;
  Grid grid;
  bool with_distances = false;
  SurfaceRules surface{};
};

/// By how many voxels the box must extend beyond the masks.
Index lesion_room(const LesionSettings& settings);

/// One of the masks may be empty.
LesionEvidence lesion_evidence(const LesionScene& scene, const LesionSettings& settings);

}  // namespace assay::metrics
