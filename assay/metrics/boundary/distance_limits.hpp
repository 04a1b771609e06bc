// SPDX-License-Identifier: Apache-2.0
/// How far the voxels of a block can be from a set at most.
#pragma once

#include <algorithm>
#include <vector>

#include "assay/metrics/bit_volume.hpp"

namespace assay::metrics {

/// Upper bounds of squared distances, one for each cell of the grid: 16 voxels along a row, four
/// across.
class DistanceLimits {
 public:
  static constexpr Index width = 16, side = 4;

  DistanceLimits(const Place& size, double squared)
      : columns_(size[0] / width + 1),
        rows_(size[1] / side + 1),
        squares_(static_cast<std::size_t>(columns_ * rows_ * (size[2] / side + 1)), squared) {}

  double at(Index x, Index y, Index z) const { return squares_[place(x, y, z)]; }
  void raise(Index x, Index y, Index z, double squared) {
    double& limit = squares_[place(x, y, z)];
    limit = std::max(limit, squared);
  }

 private:
  std::size_t place(Index x, Index y, Index z) const {
    return static_cast<std::size_t>((z / side * rows_ + y / side) * columns_ + x / width);
  }

  Index columns_, rows_;
  std::vector<double> squares_;
};

}  // namespace assay::metrics
