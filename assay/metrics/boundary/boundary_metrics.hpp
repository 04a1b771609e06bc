// SPDX-License-Identifier: Apache-2.0
/// From two masks to the evidence for every boundary metric, by one search.
#pragma once

#include <vector>

#include "assay/metrics.hpp"
#include "assay/metrics/boundary/distance_tally.hpp"
#include "assay/metrics/solids.hpp"

namespace assay::metrics {

/// All distances between two surfaces, exactly.
struct SurfaceDistances {
  DirectedDistances prediction, reference;  ///< from one surface to the other
  std::int64_t common = 0, either = 0;      ///< border voxels common to both masks, and of either
  double added_path_mm = 0;                 ///< as in BoundaryEvidence
};

/// Neither mask may be empty.
SurfaceDistances surface_distances(const Solids& solids, const SurfaceRules& rules);

BoundaryEvidence boundary_evidence(const SurfaceDistances& distances, const SurfaceRules& rules,
                                   const BoundaryRequest& request);

}  // namespace assay::metrics
