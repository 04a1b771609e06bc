// SPDX-License-Identifier: Apache-2.0
/// From a label map to the mask of one region, a bit per voxel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/metrics.hpp"
#include "assay/metrics/bit_volume.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// The voxels whose label is in the region, as `pack_foreground` would leave them; `bits` has room.
void pack_region(const LabelView& labels, const Region& region, std::span<std::uint64_t> bits);

/// Which codes of the map mean labels of the region, ascending.
using Codes = std::vector<std::uint16_t>;
Codes codes_of(const LabelView& labels, const Region& region);

/// The same inside the box, with an empty voxel around, as from a mask.
BitVolume cropped(const LabelView& labels, const Codes& of_region, const Box& box);

/// Takes the voxels of `ignored` out of a mask: they belong to neither side.
void clear_bits(std::span<std::uint64_t> bits, std::span<const std::uint64_t> ignored);

}  // namespace assay::metrics
