// SPDX-License-Identifier: Apache-2.0
/// The grids that recipes lay over images.
#pragma once

#include <cstddef>

#include "assay/model.hpp"

namespace assay::model {

/// The axis map that puts a grid's axes into the recipe's order.
AxisMap orienting(const Grid& native, const Recipe& recipe);

/// How an axis is sampled without regard to millimetres: resampled, then cut or padded.
struct IndexAxis {
  std::size_t native, resampled, target;

  double step() const {
    if (resampled == 1) return 1;  // as SciPy does; only voxel 0 is read
    return static_cast<double>(native - 1) / static_cast<double>(resampled - 1);
  }
  /// The resampled voxel at the beginning of the target; negative if padding comes first.
  std::ptrdiff_t first() const;
};

IndexAxis index_axis(const Grid& oriented, std::size_t axis, const Shape& target,
                     const Recipe& recipe);

}  // namespace assay::model
