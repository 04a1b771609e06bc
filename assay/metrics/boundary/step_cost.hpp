// SPDX-License-Identifier: Apache-2.0
/// What a step along an axis adds to a squared distance.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "assay/metrics/bit_volume.hpp"

namespace assay::metrics {

/// By the number of steps, which has a sign: a point need not lie in the middle of its voxel.
class StepCost {
 public:
  /// From the centre of a voxel to that of another.
  explicit StepCost(const std::vector<double>& squares)
      : size_(static_cast<Index>(squares.size()) - 1) {
    for (Index step = -size_; step <= size_; ++step)
      costs_.push_back(squares[static_cast<std::size_t>(step < 0 ? -step : step)]);
  }

  /// From a point that lies `offset` voxels off the centre of its voxel to another voxel as a box.
  StepCost(Index size, double offset, double spacing_mm) : size_(size) {
    for (Index step = -size; step <= size; ++step) {
      const double apart = std::abs(static_cast<double>(step) - offset) - 0.5;
      const double length = std::max(0.0, apart) * spacing_mm;
      costs_.push_back(length * length);
    }
  }

  Index size() const { return size_; }  ///< of the most steps either way
  double operator()(Index step) const { return costs_[static_cast<std::size_t>(step + size_)]; }

 private:
  Index size_;
  std::vector<double> costs_;
};

using StepCosts = std::array<StepCost, 3>;

}  // namespace assay::metrics
