// SPDX-License-Identifier: Apache-2.0
/// Voxels on a grid: owned, or borrowed.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/image/grid.hpp"

namespace assay {

/// A borrowed, read-only volume, x fastest. Pass it by value; it owns nothing.
template <class T>
struct View {
  Grid grid;
  std::span<const T> voxels;

  const T& operator()(std::size_t x, std::size_t y, std::size_t z) const {
    return voxels[x + grid.shape[0] * (y + grid.shape[1] * z)];
  }
};

/// A volume that owns its voxels. There is always one voxel per grid point.
template <class T>
class Volume {
 public:
  Volume(const Grid& grid, std::vector<T> voxels) : grid_(grid), voxels_(std::move(voxels)) {
    if (voxels_.size() != grid_.size())
      throw Error(Error::Kind::input, "the voxel count does not match the grid");
  }
  explicit Volume(const Grid& grid) : grid_(grid), voxels_(grid.size()) {}

  const Grid& grid() const { return grid_; }
  View<T> view() const& { return {grid_, voxels_}; }
  View<T> view() && = delete;  // would dangle
  std::span<T> voxels() { return voxels_; }

 private:
  Grid grid_;
  std::vector<T> voxels_;
};

/// Writes `from`, walked by `map`, into `into`, which has room for it. Lossless: voxels only move.
template <class T>
void reorient(View<T> from, const AxisMap& map, std::span<T> into) {
  const Shape shape = reoriented(from.grid, map).shape;
  const std::array<std::size_t, 3> stride = {1, from.grid.shape[0],
                                             from.grid.shape[0] * from.grid.shape[1]};
  std::array<std::ptrdiff_t, 3> step{};
  std::ptrdiff_t first = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    step[axis] = static_cast<std::ptrdiff_t>(stride[map.source[axis]]);
    if (map.flipped[axis]) {
      first += step[axis] * (static_cast<std::ptrdiff_t>(shape[axis]) - 1);
      step[axis] = -step[axis];
    }
  }
  auto out = into.begin();
  for (std::size_t z = 0; z < shape[2]; ++z)
    for (std::size_t y = 0; y < shape[1]; ++y) {
      auto at = first + step[1] * static_cast<std::ptrdiff_t>(y) +
                step[2] * static_cast<std::ptrdiff_t>(z);
      for (std::size_t x = 0; x < shape[0]; ++x, at += step[0])
        *out++ = from.voxels[static_cast<std::size_t>(at)];
    }
}

}  // namespace assay
