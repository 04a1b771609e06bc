// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/nearest_bit.hpp"

namespace assay::metrics {

Squares squares_mm2(const Place& size, const Point& spacing_mm) {
  Squares out;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (Index steps = 0; steps <= size[axis]; ++steps) {
      const double length = static_cast<double>(steps) * spacing_mm[axis];
      out[axis].push_back(length * length);
    }
  return out;
}

FilledRows::FilledRows(const BitVolume& volume) : rows_(volume.size()[1]) {
  filled_.reserve(static_cast<std::size_t>(rows_ * volume.size()[2]));
  for (Index z = 0; z < volume.size()[2]; ++z)
    for (Index y = 0; y < rows_; ++y) {
      const std::uint64_t* row = volume.row(y, z);
      const bool any = std::any_of(row, row + volume.words(), [](auto word) { return word != 0; });
      filled_.push_back(any ? 1 : 0);
    }
}

}  // namespace assay::metrics
