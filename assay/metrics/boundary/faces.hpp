// SPDX-License-Identifier: Apache-2.0
/// Distances between the faces of voxels: the surface as it is, not points on a grid.
#pragma once

#include "assay/metrics/bit_volume.hpp"
#include "assay/metrics/boundary/distance_tally.hpp"

namespace assay::metrics {

/// Distances from the elements of the surface of `from` to the nearest point of the surface of
/// `to`, weighted by area. An element is a triangle, half of a face, and is measured from its
/// centre; in a plane it is the side of a pixel. Neither mask may be empty; both have an empty
/// voxel around.
DistanceTally face_distances(const BitVolume& to, const BitVolume& from, const Axes& axes,
                             const Point& spacing_mm);

}  // namespace assay::metrics
