// SPDX-License-Identifier: Apache-2.0
/// Whether two images show the same place, and how to reorder one so that its voxels match the
/// other's.
#pragma once

#include <string>

#include "assay/volume.hpp"

namespace assay::score {

inline constexpr double equal_grids_mm = 0.001;  ///< smaller shifts are writers' rounding

struct Alignment {
  AxisMap map{};          ///< how to reorder the prediction
  std::string warning{};  ///< "" when the grids are equal
  Grid grid{};            ///< of both, in the order in which the reference is stored
};

/// Axis flips and permutations are resolved. A shift of any corner by more than 0.1 voxel throws an
/// Error::input that shows both grids, unless `allow_affine_mismatch`. In that case voxels are
/// compared in the order in which they are stored, since one of the two headers cannot be trusted.
/// An array without a position in space is compared by shape alone, index by index, and takes the
/// other's grid.
Alignment aligned(const Grid& prediction, const Grid& reference, bool allow_affine_mismatch);

}  // namespace assay::score
