// SPDX-License-Identifier: Apache-2.0
/// From two masks to lesions: components, and which of one side found which of the other.
#pragma once

#include "assay/metrics.hpp"
#include "assay/metrics/boundary/boundary_metrics.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// What of the image lesions need.
struct LesionScene {
  const Solids& solids;
  Grid grid;
  bool with_distances = false;
  SurfaceRules surface{};
};

/// How many voxels the box around the masks must be wider than they are.
Index lesion_room(const LesionSettings& settings);

/// One of the masks may be empty.
LesionEvidence lesion_evidence(const LesionScene& scene, const LesionSettings& settings);

}  // namespace assay::metrics
