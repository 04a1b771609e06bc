// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/bit_volume.hpp"

#include <algorithm>
#include <bit>

namespace assay {
namespace {

Index index(std::size_t n) {
  return static_cast<Index>(n);
}

/// Up to 64 bits that start anywhere in a mask without gaps; the rest is 0.
std::uint64_t bits_from(std::span<const std::uint64_t> words, std::size_t first, Index count) {
  const std::size_t word = first / 64, shift = first % 64;
  std::uint64_t out = words[word] >> shift;
  if (shift != 0 && word + 1 < words.size()) out |= words[word + 1] << (64 - shift);
  return count >= 64 ? out : out & ((std::uint64_t{1} << count) - 1);
}

/// The box around runs of voxels, each within one row.
struct Extent {
  Shape shape;
  std::optional<Box> box{};

  void add(std::size_t first, std::size_t last) {
    const Index nx = index(shape[0]), ny = index(shape[1]), row = index(first) / nx;
    const Box run = {{index(first) % nx, row % ny, row / ny},
                     {index(last) % nx + 1, row % ny + 1, row / ny + 1}};
    box = box ? joint_box(*box, run) : run;
  }
};

/// The first word from `w` on that is not empty. Most are: eight at a time are passed.
std::size_t first_filled(std::span<const std::uint64_t> words, std::size_t w) {
  constexpr std::size_t block = 8;
  for (; w + block <= words.size(); w += block) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < block; ++i) any |= words[w + i];
    if (any != 0) break;
  }
  while (w < words.size() && words[w] == 0) ++w;
  return w;
}

}  // namespace

Box joint_box(const Box& a, const Box& b) {
  Box out;
  for (std::size_t k = 0; k < 3; ++k) {
    out.low[k] = std::min(a.low[k], b.low[k]);
    out.high[k] = std::max(a.high[k], b.high[k]);
  }
  return out;
}

std::optional<Box> bounding_box(const PackedMask& mask) {
  Extent extent{.shape = mask.shape};
  const std::size_t nx = mask.shape[0];
  for (std::size_t w = 0; w < mask.words.size(); ++w) {
    w = first_filled(mask.words, w);
    if (w == mask.words.size()) break;
    const std::uint64_t word = mask.words[w];
    const std::size_t first = 64 * w + static_cast<std::size_t>(std::countr_zero(word));
    const std::size_t last = 64 * w + 63 - static_cast<std::size_t>(std::countl_zero(word));
    // A word may hold the end of one row and the start of the next, with a gap between them.
    for (std::size_t at = first; at <= last;) {
      const std::size_t end = std::min(last + 1, (at / nx + 1) * nx);
      const std::uint64_t part = bits_from(mask.words, at, index(end - at));
      if (part != 0)
        extent.add(at + static_cast<std::size_t>(std::countr_zero(part)),
                   at + 63 - static_cast<std::size_t>(std::countl_zero(part)));
      at = end;
    }
  }
  return extent.box;
}

BitVolume::BitVolume(const Place& size)
    : size_(size),
      words_((size[0] + 63) / 64),
      bits_(static_cast<std::size_t>(words_ * size[1] * size[2])) {}

std::int64_t BitVolume::count() const {
  std::int64_t sum = 0;
  for (const std::uint64_t word : bits_) sum += std::popcount(word);
  return sum;
}

BitVolume cropped(const PackedMask& mask, const Box& box) {
  BitVolume out(
      {box.high[0] - box.low[0] + 2, box.high[1] - box.low[1] + 2, box.high[2] - box.low[2] + 2});
  const Index width = box.high[0] - box.low[0];
  for (Index z = box.low[2]; z < box.high[2]; ++z)
    for (Index y = box.low[1]; y < box.high[1]; ++y) {
      std::uint64_t* row = out.row(y - box.low[1] + 1, z - box.low[2] + 1);
      const Index start = (z * index(mask.shape[1]) + y) * index(mask.shape[0]) + box.low[0];
      std::uint64_t carried = 0;  // the empty voxel in front moves every bit by one
      for (Index x = 0; x < width; x += 64) {
        const auto bits = bits_from(mask.words, static_cast<std::size_t>(start + x), width - x);
        row[x / 64] = bits << 1 | carried;
        carried = bits >> 63;
      }
      if (width % 64 == 0) row[width / 64] = carried;
    }
  return out;
}

Axes axes_of(const Shape& shape) {
  if (shape == Shape{1, 1, 1}) return {true, true, true};
  return {shape[0] > 1, shape[1] > 1, shape[2] > 1};
}

BitVolume border(const BitVolume& mask, const Axes& axes) {
  BitVolume out(mask.size());
  const Index words = mask.words();
  for (Index z = 1; z + 1 < mask.size()[2]; ++z)
    for (Index y = 1; y + 1 < mask.size()[1]; ++y) {
      const std::uint64_t* here = mask.row(y, z);
      // An axis that is none lends the row itself, which takes nothing away.
      const std::uint64_t* beside[] = {
          axes[1] ? mask.row(y - 1, z) : here, axes[1] ? mask.row(y + 1, z) : here,
          axes[2] ? mask.row(y, z - 1) : here, axes[2] ? mask.row(y, z + 1) : here};
      std::uint64_t* into = out.row(y, z);
      for (Index w = 0; w < words; ++w) {
        std::uint64_t inside = here[w];
        if (inside == 0) continue;
        for (const std::uint64_t* row : beside) inside &= row[w];
        if (axes[0]) inside &= shifted(here, words, w, -1) & shifted(here, words, w, 1);
        into[w] = here[w] & ~inside;
      }
    }
  return out;
}

BitVolume background(const BitVolume& mask, const Axes& axes) {
  BitVolume out(mask.size());
  const auto& [nx, ny, nz] = mask.size();
  const Index x_low = axes[0] ? 0 : 1, x_high = axes[0] ? nx : nx - 1;
  for (Index z = axes[2] ? 0 : 1; z < (axes[2] ? nz : nz - 1); ++z)
    for (Index y = axes[1] ? 0 : 1; y < (axes[1] ? ny : ny - 1); ++y)
      for (Index w = 0; w < mask.words(); ++w) {
        std::uint64_t kept = ~std::uint64_t{0};
        if (x_low > 64 * w) kept <<= x_low - 64 * w;
        if (x_high < 64 * w + 64) kept &= (std::uint64_t{1} << (x_high - 64 * w)) - 1;
        out.row(y, z)[w] = ~mask.row(y, z)[w] & kept;
      }
  return out;
}

}  // namespace assay
