// SPDX-License-Identifier: Apache-2.0
/// Distances of many voxels to a far set: a separable transform, evaluated only where it is asked.
#pragma once

#include <span>
#include <vector>

#include "assay/metrics/nearest_bit.hpp"

namespace assay {

/// The squared distance in mm2 of each voxel to the nearest set bit, in the order of the voxels.
/// There must be one. The time is bounded by the size of the volume, whatever the distances.
std::vector<double> transformed_distances(std::span<const Voxel> voxels,
                                          const SearchTarget& target);

}  // namespace assay
