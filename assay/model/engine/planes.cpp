// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/planes.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "assay/model/engine/kernels.hpp"

namespace assay::model {
namespace {

/// Rounds up to an odd number of cache lines. Rows at a distance of a power of two would fall into
/// the same part of the cache.
std::size_t odd_lines(std::size_t floats) {
  const std::size_t lines = (floats + alignment - 1) / alignment;
  return (lines | 1) * alignment;
}

}  // namespace

PlaneLayout plane_layout(const Shape& shape, std::size_t channels) {
  PlaneLayout out = {.width = shape[0],
                     .padded_width = (shape[0] + alignment - 1) / alignment * alignment,
                     .height = shape[1],
                     .depth = shape[2]};
  out.row_stride = out.padded_width;
  out.line_stride = odd_lines(channels * out.row_stride);
  out.plane_stride = odd_lines(out.height * out.line_stride);
  return out;
}

std::vector<PhaseTile> phase_tiles(std::size_t length, std::size_t dilation) {
  std::vector<PhaseTile> out;
  for (std::size_t phase = 0; phase < std::min(dilation, length); ++phase) {
    const std::size_t elements = (length - phase + dilation - 1) / dilation;
    for (std::size_t i = 0; i * tile_side < elements; ++i) out.push_back({phase, i});
  }
  return out;
}

std::size_t tiles_at_once(std::size_t tiles_along_y) {
  constexpr std::size_t enough = 64;
  return (enough + tiles_along_y - 1) / tiles_along_y;
}

std::size_t planes_needed(const PlaneLayout& layout) {
  // Until a phase is done, it has given back one plane less than its tiles have made. Dilation 1
  // has the fewest tiles along y, and therefore the most tiles along z at once.
  const std::size_t at_once = tiles_at_once((layout.height + tile_side - 1) / tile_side);
  return layout.depth + std::min(layout.depth, tile_side * at_once) + 1;
}

PlaneTable::PlaneTable(const PlaneLayout& layout, float* memory)
    : layout_(layout), next_(layout.depth) {
  for (std::size_t i = planes_needed(layout); i-- > 0;)
    free_.push_back(memory + i * layout.plane_stride);
}

void PlaneTable::make_room(const PhaseTile& tile, std::size_t dilation) {
  for (std::size_t i = 0; i < tile_side; ++i) {
    const std::size_t z = tile.phase + dilation * (tile_side * tile.index + i);
    if (z >= layout_.depth) return;
    assert(!free_.empty());
    next_[z] = std::exchange(free_.back(), nullptr);
    free_.pop_back();
  }
}

void PlaneTable::give_back(const PhaseTile& tile, std::size_t dilation) {
  if (!has_input()) return;
  const std::size_t made = tile_side * (tile.index + 1);
  const bool is_last = tile.phase + dilation * made >= layout_.depth;
  const std::size_t first = tile.index == 0 ? 0 : made - tile_side - 1;
  const std::size_t end =
      is_last ? made : made - 1;  // the next tile starts one plane before its own
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t z = tile.phase + dilation * i;
    if (z < layout_.depth) free_.push_back(current_[z]);
  }
}

void PlaneTable::turn_over() {
  current_ = next_;
}

}  // namespace assay::model
