// SPDX-License-Identifier: Apache-2.0
/// Masks of one bit per voxel, cut to a box: a row is a few words, and a neighbour is a shift.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/volume.hpp"

namespace assay::metrics {

using Index = std::ptrdiff_t;  ///< a place on an axis, or a step along it
using Place = std::array<Index, 3>;

/// A mask as `pack_foreground` leaves it: one bit per voxel, x fastest, without gaps between rows.
struct PackedMask {
  Shape shape{};
  std::span<const std::uint64_t> words;
};

/// Voxels low to high - 1 along each axis.
struct Box {
  Place low{}, high{};

  bool operator==(const Box&) const = default;
};

/// The smallest box around all voxels of the mask; nothing when it is empty.
std::optional<Box> bounding_box(const PackedMask& mask);

/// Whether more than one voxel in 16 differs from the one before it, as in noise: nearly every
/// voxel of such a mask is on its surface.
bool is_noisy(const PackedMask& mask);

/// The smallest box around two.
Box joint_box(const Box& a, const Box& b);

/// Bits on a grid whose rows start at whole words. Bits after the end of a row are 0. There is an
/// empty word before the first row and some after the last, so that a row may be read beyond its
/// ends.
class BitVolume {
 public:
  static constexpr Index words_behind = 4;

  BitVolume() = default;
  explicit BitVolume(const Place& size);

  const Place& size() const { return size_; }
  Index words() const { return words_; }  ///< of one row
  const std::uint64_t* row(Index y, Index z) const { return bits_.data() + start(y, z); }
  std::uint64_t* row(Index y, Index z) { return bits_.data() + start(y, z); }
  bool at(Index x, Index y, Index z) const { return (row(y, z)[x / 64] >> (x % 64) & 1) != 0; }
  void set(Index x, Index y, Index z) { row(y, z)[x / 64] |= std::uint64_t{1} << (x % 64); }
  std::int64_t count() const;
  /// Clears the bits that `others`, of the same size, has set.
  void clear(const BitVolume& others);

  bool operator==(const BitVolume&) const = default;
  friend std::int64_t in_common(const BitVolume& a, const BitVolume& b);

 private:
  Index start(Index y, Index z) const { return 1 + (z * size_[1] + y) * words_; }

  Place size_{};
  Index words_ = 0;
  std::vector<std::uint64_t> bits_;
};

/// How many bits both have.
std::int64_t in_common(const BitVolume& a, const BitVolume& b);

/// Word `w` of a row moved so that bit x shows what is at x + step; step is -1, 0 or 1.
inline std::uint64_t shifted(const std::uint64_t* row, Index words, Index w, Index step) {
  if (step == 0) return row[w];
  if (step < 0) return row[w] << 1 | (w > 0 ? row[w - 1] >> 63 : 0);
  return row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0);
}

/// The mask inside the box, with one empty voxel around it on every side: neighbours of a voxel of
/// the mask can then be looked at without asking where the volume ends.
BitVolume cropped(const PackedMask& mask, const Box& box);

/// The same for a mask in any form: `read` packs a number of voxels, from a first one on, into
/// words.
template <class Read>
BitVolume cropped_by(const Shape& shape, const Box& box, Read read) {
  BitVolume out(
      {box.high[0] - box.low[0] + 2, box.high[1] - box.low[1] + 2, box.high[2] - box.low[2] + 2});
  const auto width = static_cast<std::size_t>(box.high[0] - box.low[0]);
  std::vector<std::uint64_t> bits((width + 63) / 64);
  for (Index z = box.low[2]; z < box.high[2]; ++z)
    for (Index y = box.low[1]; y < box.high[1]; ++y) {
      const Index before = z * static_cast<Index>(shape[1]) + y;
      read(static_cast<std::size_t>(before * static_cast<Index>(shape[0]) + box.low[0]), width,
           std::span(bits));
      std::uint64_t* row = out.row(y - box.low[1] + 1, z - box.low[2] + 1);
      std::uint64_t carried = 0;  // the empty voxel at the start moves every bit by one
      for (const std::uint64_t word : bits) {
        *row++ = word << 1 | carried;
        carried = word >> 63;
      }
      if (width % 64 == 0) *row = carried;
    }
  return out;
}

/// Which axes an image extends along: an axis of a single voxel does not count, and has no
/// neighbours. An image of only one voxel has every axis.
using Axes = std::array<bool, 3>;
Axes axes_of(const Shape& shape);

/// Voxels of the mask with a background voxel next to them along an axis; outside is background.
BitVolume border(const BitVolume& mask, const Axes& axes);

/// Background voxels of the volume, the empty ones around it included, but not across an axis
/// without extent.
BitVolume background(const BitVolume& mask, const Axes& axes);

}  // namespace assay::metrics
