// SPDX-License-Identifier: Apache-2.0
/// Voxels walked by an axis map, at the speed of memory.
#pragma once

#include <cstddef>
#include <span>

#include "assay/volume.hpp"

namespace assay {

/// The same as `reorient`, for voxels of 1, 2, 4 or 8 bytes on a grid of the given shape.
void reorient_bytes(std::span<const std::byte> from, const Shape& shape, const AxisMap& map,
                    std::span<std::byte> into);

}  // namespace assay
