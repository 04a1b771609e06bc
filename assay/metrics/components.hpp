// SPDX-License-Identifier: Apache-2.0
/// Connected components of a mask, as runs of voxels.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/metrics.hpp"
#include "assay/metrics/bit_volume.hpp"

namespace assay::metrics {

/// Voxels first to last - 1 of a row, all of one component.
struct ComponentRun {
  std::int32_t first = 0, last = 0, y = 0, z = 0;
  std::uint32_t component = 0;

  std::int64_t length() const { return last - first; }
  bool operator==(const ComponentRun&) const = default;
};

/// Components are numbered from 0 in the order of their first voxels.
struct Components {
  std::vector<ComponentRun> runs;   ///< in the order of voxels
  std::vector<std::int64_t> sizes;  ///< in voxels, by component

  std::size_t count() const { return sizes.size(); }
};

Components components(const BitVolume& mask, Connectivity connectivity);

/// Only the components that have at least `least` voxels, renumbered.
Components without_small(const Components& all, std::int64_t least);

/// How many voxels a component of one mask shares with one of another.
struct Overlap {
  std::uint32_t a = 0, b = 0;
  std::int64_t voxels = 0;

  bool operator==(const Overlap&) const = default;
};

/// All pairs that share a voxel, ascending.
std::vector<Overlap> overlaps(const Components& a, const Components& b);

/// The mask dilated `times` times; the voxels around the volume stay empty.
BitVolume dilated(BitVolume mask, Connectivity connectivity, int times);

}  // namespace assay::metrics
