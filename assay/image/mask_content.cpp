// SPDX-License-Identifier: Apache-2.0
#include "assay/image/mask_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "assay/image/map_signs.hpp"
#include "assay/image/stored.hpp"

namespace assay {
namespace {

constexpr std::size_t many_values = 128;
constexpr std::size_t content_block = 64;

/// Which bytes occur; stops checking once there are many.
class SeenBytes {
 public:
  bool are_many() const { return count_ > many_values; }

  void add(std::uint8_t byte) {
    if (!std::exchange(seen_[byte], true)) ++count_;
  }
  /// Masks are runs of one value, so a uniform block is recognised without examining single voxels.
  void add_block(const std::uint8_t* block) {
    std::uint8_t differs = 0;
    for (std::size_t i = 0; i < content_block; ++i)
      differs = static_cast<std::uint8_t>(differs | (block[i] ^ block[0]));
    const std::size_t voxels = differs == 0 ? 1 : content_block;
    for (std::size_t i = 0; i < voxels; ++i) add(block[i]);
  }

 private:
  std::array<bool, 256> seen_{};
  std::size_t count_ = 0;
};

/// Calls `use(value, index)` for every voxel until it returns false.
template <class Use>
void for_each_value(const Image& image, Use use) {
  visit_stored(image.header(), [&]<class T, bool swapped>() {
    const std::byte* at = image.voxels().data();
    for (std::size_t i = 0; i < image.grid().size(); ++i, at += sizeof(T))
      if (!use(scaled(load_scalar<T, swapped>(at), image.header().scaling), i)) return;
  });
}

bool is_unsigned(VoxelType type) {
  constexpr std::array types = {VoxelType::u8, VoxelType::u16, VoxelType::u32, VoxelType::u64};
  return std::ranges::find(types, type) != types.end();
}

std::string shown(double value, std::size_t index, const Image& image) {
  return fmt::format("{:.6g} at voxel {}", value, place(image.grid(), index));
}

}  // namespace

bool has_many_values(const Image& image) {
  if (bytes_per_voxel(image.header().type) != 1) return false;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(image.voxels().data()),
                        image.voxels().size());
  SeenBytes seen;
  std::size_t i = 0;
  for (; i + content_block <= bytes.size() && !seen.are_many(); i += content_block)
    seen.add_block(bytes.data() + i);
  for (; i < bytes.size() && !seen.are_many(); ++i) seen.add(bytes[i]);
  return seen.are_many();
}

bool has_only_negative_values(const Image& image) {
  if (is_unsigned(image.header().type) && image.header().scaling.is_identity()) return false;
  bool below = false, above = false;
  for_each_value(image, [&](double value, std::size_t) {
    below = below || value < 0;
    above = above || value > 0;
    return !above;
  });
  return below && !above;
}

std::string map_values(const Image& image) {
  double fraction = 0, other = 0;
  std::size_t fraction_at = 0, other_at = 0;
  for_each_value(image, [&](double value, std::size_t i) {
    if (fraction == 0 && !is_whole(value)) {
      fraction = value;
      fraction_at = i;
    }
    return fraction == 0;
  });
  for_each_value(image, [&](double value, std::size_t i) {
    if (value != 0 && value != fraction) {
      other = value;
      other_at = i;
    }
    return other == 0;
  });
  return shown(fraction, fraction_at, image) + " and " + shown(other, other_at, image);
}

}  // namespace assay
