// SPDX-License-Identifier: Apache-2.0
/// Room for masks of a bit per voxel, in memory that workers keep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assay/metrics/count.hpp"
#include "assay/run/score_case.hpp"

namespace assay {

using Bits = std::span<std::uint64_t>;

/// Room for one bit per voxel.
inline Bits room_for_bits(std::size_t voxels, Buffer& buffer) {
  const std::size_t words = packed_words(voxels);
  return {reinterpret_cast<std::uint64_t*>(buffer.resize(8 * words).data()), words};
}

/// Masks of several regions, side by side in one buffer.
class MaskShelf {
 public:
  MaskShelf(std::size_t masks, std::size_t voxels, Workspace& workspace)
      : workspace_(workspace), buffer_(workspace.take_smallest()) {
    const std::size_t words = packed_words(voxels);
    const Bits all = room_for_bits(64 * words * masks, buffer_);
    for (std::size_t m = 0; m < masks; ++m) masks_.push_back(all.subspan(m * words, words));
  }
  ~MaskShelf() { workspace_.give(std::move(buffer_)); }
  MaskShelf(const MaskShelf&) = delete;
  MaskShelf& operator=(const MaskShelf&) = delete;

  std::span<const Bits> first(std::size_t count) const { return std::span(masks_).first(count); }

 private:
  Workspace& workspace_;
  Buffer buffer_;
  std::vector<Bits> masks_;
};

/// How many regions are packed in one pass over the labels: as many as fit, of both sides, into
/// little memory.
inline std::size_t regions_at_once(std::size_t regions, std::size_t voxels) {
  constexpr std::size_t most_bytes = std::size_t{1} << 24, most = 8;
  const std::size_t fitting = most_bytes / (2 * 8 * packed_words(voxels) + 1);
  return std::clamp<std::size_t>(std::min(fitting, regions), 1, most);
}

}  // namespace assay
