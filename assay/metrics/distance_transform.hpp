// SPDX-License-Identifier: Apache-2.0
/// Distances of many voxels to a far set: a separable transform, evaluated only where it is asked.
#pragma once

#include <functional>

#include "assay/metrics/nearest_bit.hpp"

namespace assay {

/// Told the squared distance in mm2 of a voxel.
using Settle = std::function<void(const Voxel&, double squared)>;

/// Settles every set bit of `asked`: its squared distance to the nearest set bit of the target, of
/// which there must be one. The time is bounded by the size of the volume, whatever the distances.
void transform_distances(const BitVolume& asked, const SearchTarget& target, const Settle& settle);

}  // namespace assay
