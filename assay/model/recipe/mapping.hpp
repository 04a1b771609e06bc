// SPDX-License-Identifier: Apache-2.0
/// Where voxels of one grid lie in another: what resampling reads and the way back reverses.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "assay/model.hpp"

namespace assay::model {

/// For each voxel of a target its place among the voxels of a source.
struct Mapping {
  Shape source{};
  Grid target{};
  /// Along each axis; NaN where the source has nothing. Unused when the grids are oblique.
  std::array<std::vector<double>, 3> positions{};
  /// Target index to source index, when the axes of one are not axes of the other.
  std::optional<Affine> oblique{};
  double reach = 0;  ///< how far beyond the outermost voxels' centres the source still counts
};

/// From the voxels of the model to those of the oriented image.
Mapping to_model(const Grid& oriented, const Grid& model, const Recipe& recipe);

/// From the voxels of the oriented image to those of the model: what `to_model` did, backwards.
Mapping to_native(const Grid& oriented, const Grid& model, const Recipe& recipe);

/// A position moved onto the source when it is within reach; NaN when it is not.
double reached(double position, std::size_t size, double reach);

}  // namespace assay::model
