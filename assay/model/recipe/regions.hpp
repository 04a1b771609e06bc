// SPDX-License-Identifier: Apache-2.0
/// Turns overlapping regions into one label map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/model.hpp"

namespace assay::model {

/// A channel of the output, and the label that its voxels get.
struct PaintedRegion {
  std::size_t channel = 0;
  std::uint8_t label = 0;

  bool operator==(const PaintedRegion&) const = default;
};

/// Regions from the largest to the smallest: a voxel gets the label of the smallest that it is in.
/// A region's label is the first of its labels that is in no smaller region. Throws Error::input
/// when a region has no such label.
std::vector<PaintedRegion> painting_order(const std::vector<OutputRegion>& regions);

}  // namespace assay::model
