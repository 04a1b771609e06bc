// SPDX-License-Identifier: Apache-2.0
/// Distances of many voxels to a distant set: a separable transform, evaluated only where needed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "assay/metrics/boundary/nearest_bit.hpp"

namespace assay::metrics {

/// What a number of steps along an axis adds to a squared distance. The number has a sign, because
/// a point need not lie in the middle of its voxel.
class StepCost {
 public:
  /// From the centre of a voxel to that of another.
  explicit StepCost(const std::vector<double>& squares)
      : size_(static_cast<Index>(squares.size()) - 1) {
    for (Index step = -size_; step <= size_; ++step)
      costs_.push_back(squares[static_cast<std::size_t>(step < 0 ? -step : step)]);
  }

  /// From a point that lies `offset` voxels off the centre of its voxel to another voxel, taken as
  /// a box.
  StepCost(Index size, double offset, double spacing_mm) : size_(size) {
    for (Index step = -size; step <= size; ++step) {
      const double apart = std::abs(static_cast<double>(step) - offset) - 0.5;
      const double length = std::max(0.0, apart) * spacing_mm;
      costs_.push_back(length * length);
    }
  }

  Index size() const { return size_; }  ///< the largest number of steps either way
  double operator()(Index step) const { return costs_[static_cast<std::size_t>(step + size_)]; }

 private:
  Index size_;
  std::vector<double> costs_;
};

using StepCosts = std::array<StepCost, 3>;

/// Squared distances in mm2 of voxels side by side in one row.
struct SettledVoxels {
  Voxel first;
  std::uint32_t columns = 0;        ///< which of them were asked for, as bits
  const double* squared = nullptr;  ///< of every column

  template <class Use>
  void for_each(const Use& use) const {
    for (std::uint32_t left = columns; left != 0; left &= left - 1) {
      const int column = std::countr_zero(left);
      use(Voxel{first.x + column, first.y, first.z}, squared[column]);
    }
  }
};

using Settle = std::function<void(const SettledVoxels&)>;

/// Reports the squared distance of every set bit of `asked` to the nearest set bit of the target,
/// which must have at least one. The time is bounded by the size of the volume, whatever the
/// distances.
void transform_distances(const BitVolume& asked, const SearchTarget& target, const Settle& settle);

/// The same with costs of steps other than the squares of the target. Each cost must be at most the
/// square of that many steps and at least that of one step fewer.
void transform_distances(const BitVolume& asked, const SearchTarget& target, const StepCosts& costs,
                         const Settle& settle);

}  // namespace assay::metrics
