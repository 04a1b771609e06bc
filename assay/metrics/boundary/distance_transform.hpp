// SPDX-License-Identifier: Apache-2.0
/// Distances of many voxels to a far set: a separable transform, evaluated only where it is needed.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>

#include "assay/metrics/boundary/nearest_bit.hpp"
#include "assay/metrics/boundary/step_cost.hpp"

namespace assay::metrics {

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

/// Settles every set bit of `asked`: its squared distance to the nearest set bit of the target,
/// which must have at least one. The time is bounded by the size of the volume, whatever the
/// distances.
void transform_distances(const BitVolume& asked, const SearchTarget& target, const Settle& settle);

/// The same with other costs of steps along the axes than the squares of the target. Each cost must
/// be at most the square of that many steps and at least that of one step fewer.
void transform_distances(const BitVolume& asked, const SearchTarget& target, const StepCosts& costs,
                         const Settle& settle);

}  // namespace assay::metrics
