// SPDX-License-Identifier: Apache-2.0
/// The exact distance from every voxel of one surface to the nearest of another.
#pragma once

#include <functional>

#include "assay/metrics/bit_volume.hpp"
#include "assay/metrics/boundary/distance_tally.hpp"
#include "assay/metrics/boundary/nearest_bit.hpp"

namespace assay::metrics {

/// How much a voxel of a surface counts. Empty: each counts 1.
using Weight = std::function<double(const Voxel&)>;

/// Distances of every bit of `from` to the nearest bit of `to`, which must have one if `from` has.
/// Both lie on the same grid, with an empty voxel around.
DistanceTally distances_to(const BitVolume& to, const BitVolume& from, const Point& spacing_mm,
                           const Weight& weight = {});

}  // namespace assay::metrics
