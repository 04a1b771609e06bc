// SPDX-License-Identifier: Apache-2.0
// Rows that stay rows are copied. Rows that become columns pass through a small square in the
// cache, so each cache line is read and written once, wherever its neighbours are. Otherwise
// neighbours in the result would be a row or a slice apart, and with sizes that are powers of two
// all of them would map to a few lines of the cache.
#include "assay/image/reorient.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "assay/base/bytes.hpp"

namespace assay {
namespace {

using Steps = std::array<std::ptrdiff_t, 3>;

/// A place in the result.
using Place = std::array<std::size_t, 3>;

/// Eight rows of eight bytes become columns: halves of words are swapped, then quarters, then
/// single bytes.
void turn_bytes(std::array<std::uint64_t, 8>& rows) {
  constexpr std::array<std::uint64_t, 3> kept = {0x00000000ffffffff, 0x0000ffff0000ffff,
                                                 0x00ff00ff00ff00ff};
  for (std::size_t stage = 0; stage < 3; ++stage) {
    const std::size_t apart = 4U >> stage;
    const unsigned shift = 32U >> stage;
    for (std::size_t i = 0; i < 8; ++i) {
      if ((i & apart) != 0) continue;
      const std::uint64_t crossed = (rows[i] >> shift ^ rows[i + apart]) & kept[stage];
      rows[i + apart] ^= crossed;
      rows[i] ^= crossed << shift;
    }
  }
}

/// From places in the result to voxels of `width` bytes in the source.
template <std::size_t width>
class Walk {
 public:
  Walk(const std::byte* from, const Shape& stored, const AxisMap& map, std::byte* into)
      : map_(map), into_(into) {
    const Place stride = {1, stored[0], stored[0] * stored[1]};
    std::ptrdiff_t first = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      shape_[axis] = stored[map.source[axis]];
      step_[axis] = static_cast<std::ptrdiff_t>(stride[map.source[axis]] * width);
      if (!map.flipped[axis]) continue;
      first += step_[axis] * (static_cast<std::ptrdiff_t>(shape_[axis]) - 1);
      step_[axis] = -step_[axis];
    }
    from_ = from + first;
  }

  void run() const {
    if (map_.source[0] == 0)
      copy_rows();
    else
      turn_rows(map_.source[1] == 0 ? 1 : 2);
  }

 private:
  using Voxel = typename BitsOfSize<width>::type;
  static constexpr std::size_t side = width == 1 ? 64 : 32;
  using Square = std::array<std::array<Voxel, side>, side>;

  const std::byte* source(const Place& at) const {
    std::ptrdiff_t out = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      out += step_[axis] * static_cast<std::ptrdiff_t>(at[axis]);
    return from_ + out;
  }
  std::byte* result(const Place& at) const {
    return into_ + (at[0] + shape_[0] * (at[1] + shape_[1] * at[2])) * width;
  }

  void copy_rows() const {
    for (std::size_t z = 0; z < shape_[2]; ++z)
      for (std::size_t y = 0; y < shape_[1]; ++y) {
        const std::byte* from = source({0, y, z});
        std::byte* to = result({0, y, z});
        if (step_[0] > 0) {
          std::memcpy(to, from, shape_[0] * width);
          continue;
        }
        std::size_t x = 0;
        if constexpr (width == 1)  // eight at once
          for (std::uint64_t word = 0; x + 8 <= shape_[0]; x += 8, to += 8, from -= 8) {
            std::memcpy(&word, from - 7, sizeof word);
            word = byte_swapped(word);
            std::memcpy(to, &word, sizeof word);
          }
        for (; x < shape_[0]; ++x, to += width, from -= width) std::memcpy(to, from, width);
      }
  }

  /// The rows of the source lie along `axis` of the result.
  void turn_rows(std::size_t axis) const {
    const std::size_t other = 3 - axis;
    Place at{};
    for (at[other] = 0; at[other] < shape_[other]; ++at[other])
      for (at[axis] = 0; at[axis] < shape_[axis]; at[axis] += side)
        for (at[0] = 0; at[0] < shape_[0]; at[0] += side) turn_square(at, axis);
  }

  void turn_square(const Place& at, std::size_t axis) const {
    const std::size_t rows = std::min(side, shape_[0] - at[0]),
                      columns = std::min(side, shape_[axis] - at[axis]);
    const bool is_backwards = step_[axis] < 0;
    Square square, turned;
    const std::byte* from = source(at) - (is_backwards ? (columns - 1) * width : 0);
    for (std::size_t r = 0; r < rows; ++r, from += step_[0])
      std::memcpy(square[r].data(), from, columns * width);
    turn(square, turned);
    const std::size_t to_next = (axis == 1 ? shape_[0] : shape_[0] * shape_[1]) * width;
    std::byte* to = result(at);
    for (std::size_t c = 0; c < columns; ++c, to += to_next)
      std::memcpy(to, turned[is_backwards ? columns - 1 - c : c].data(), rows * width);
  }

  static void turn(const Square& square, Square& into) {
    if constexpr (width == 1 && std::endian::native == std::endian::little) {
      std::array<std::uint64_t, 8> rows;
      for (std::size_t r = 0; r < side; r += 8)
        for (std::size_t c = 0; c < side; c += 8) {
          for (std::size_t i = 0; i < 8; ++i) std::memcpy(&rows[i], &square[r + i][c], 8);
          turn_bytes(rows);
          for (std::size_t i = 0; i < 8; ++i) std::memcpy(&into[c + i][r], &rows[i], 8);
        }
    } else {
      for (std::size_t c = 0; c < side; ++c)
        for (std::size_t r = 0; r < side; ++r) into[c][r] = square[r][c];
    }
  }

  const AxisMap& map_;
  const std::byte* from_ = nullptr;
  std::byte* into_;
  Shape shape_{};
  Steps step_{};
};

}  // namespace

void reorient_bytes(std::span<const std::byte> from, const Shape& shape, const AxisMap& map,
                    std::span<std::byte> into) {
  const std::size_t voxels = shape[0] * shape[1] * shape[2];
  if (voxels == 0) return;
  assert(from.size() % voxels == 0 && into.size() >= from.size());
  switch (from.size() / voxels) {
    case 1: return Walk<1>(from.data(), shape, map, into.data()).run();
    case 2: return Walk<2>(from.data(), shape, map, into.data()).run();
    case 4: return Walk<4>(from.data(), shape, map, into.data()).run();
    default: return Walk<8>(from.data(), shape, map, into.data()).run();
  }
}

}  // namespace assay
