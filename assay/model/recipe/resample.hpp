// SPDX-License-Identifier: Apache-2.0
/// Resamples voxels from one grid to another: linearly for images, by the nearest voxel for labels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "assay/executor.hpp"
#include "assay/model.hpp"

namespace assay::model {

// Where the voxels of one grid lie in another, for resampling and for the way back.

/// For each voxel of a target, its place among the voxels of a source.
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

/// The affine from the voxel indices of one grid to those of another.
Affine index_map(const Grid& from, const Grid& to);

/// The position, clamped onto the source when it is within reach; NaN when it is not.
double reached(double position, std::size_t size, double reach);

/// Linear interpolation, 0 outside. Sums and products are doubles in SciPy's order, rounded to
/// float once at the end: on the same positions the bits are those of scipy.ndimage at order 1.
Volume<float> resampled(View<float> source, const Mapping& mapping, const Executor& executor);

/// The nearest voxel, the upper one of two at the same distance; 0 outside.
Volume<std::uint8_t> resampled(View<std::uint8_t> source, const Mapping& mapping,
                               const Executor& executor);

}  // namespace assay::model
