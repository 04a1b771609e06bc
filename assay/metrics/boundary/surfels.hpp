// SPDX-License-Identifier: Apache-2.0
/// A surface as points at the corners of voxels, weighted by the area that marching cubes gives it.
#pragma once

#include <array>

#include "assay/metrics/bit_volume.hpp"
#include "assay/metrics/boundary/surface_search.hpp"

namespace assay::metrics {

/// The area of the surface around a corner of voxels, by which of the voxels that meet there are
/// set: bit i + 2 j + 4 k for the voxel at (i, j, k), 0 or 1 along each axis. In a plane it is a
/// length, along a line 1. Axes without extent have only the voxels at 0.
std::array<double, 256> corner_areas(const Axes& axes, const Point& spacing_mm);

/// Corners at which voxels of the mask and of the background meet.
class Surfels {
 public:
  Surfels(const BitVolume& mask, const Axes& axes, const Point& spacing_mm);

  const BitVolume& points() const { return points_; }
  Weight weight() const;  ///< borrows from this and from the mask

 private:
  const BitVolume& mask_;
  Axes axes_;
  std::array<double, 256> areas_;
  BitVolume points_;
};

}  // namespace assay::metrics
