// SPDX-License-Identifier: Apache-2.0
/// The nearest set bit of a row, by counting zeros.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "assay/metrics/bit_volume.hpp"

namespace assay::metrics {

/// Steps from x up to the first set bit at or after it; at least `limit` when none is nearer.
inline Index steps_up(const std::uint64_t* row, Index words, Index x, Index limit) {
  const Index first = x / 64;
  if (const std::uint64_t here = row[first] >> (x % 64); here != 0) return std::countr_zero(here);
  for (Index w = first + 1; w < words && 64 * w - x < limit; ++w)
    if (row[w] != 0) return 64 * w + std::countr_zero(row[w]) - x;
  return limit;
}

/// Steps from x down to the first set bit at or before it; at least `limit` when none is nearer.
inline Index steps_down(const std::uint64_t* row, Index x, Index limit) {
  const Index first = x / 64;
  if (const std::uint64_t here = row[first] << (63 - x % 64); here != 0)
    return std::countl_zero(here);
  for (Index w = first - 1; w >= 0 && x - 64 * w - 63 < limit; --w)
    if (row[w] != 0) return x - 64 * w - 63 + std::countl_zero(row[w]);
  return limit;
}

/// Steps to the nearest set bit of the row; at least `limit` when none is nearer.
inline Index nearest_bit(const std::uint64_t* row, Index words, Index x, Index limit) {
  const Index up = steps_up(row, words, x, limit);
  return std::min(up, steps_down(row, x, std::min(up, limit)));
}

/// Squared lengths in mm2 of a number of steps along each axis. A squared distance is always summed
/// in the order of the axes, so that equal distances have equal bits wherever they are computed.
using Squares = std::array<std::vector<double>, 3>;
Squares squares_mm2(const Place& size, const Point& spacing_mm);

/// Rows of a volume that are not empty.
class FilledRows {
 public:
  explicit FilledRows(const BitVolume& volume);
  bool at(Index y, Index z) const { return filled_[static_cast<std::size_t>(z * rows_ + y)] != 0; }

 private:
  Index rows_;
  std::vector<std::uint8_t> filled_;
};

/// A voxel as lists keep it.
struct Voxel {
  std::int32_t x = 0, y = 0, z = 0;
};

/// The volume in which the nearest bit is searched.
struct SearchTarget {
  const BitVolume& bits;
  const FilledRows& filled;
  const Squares& squares;
};

}  // namespace assay::metrics
