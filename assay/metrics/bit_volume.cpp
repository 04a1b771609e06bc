// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/bit_volume.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "assay/base/processor.hpp"

namespace assay::metrics {
namespace {

Index index(std::size_t n) {
  return static_cast<Index>(n);
}

/// Up to 64 bits from any position of a mask without gaps; the remaining bits are 0.
std::uint64_t bits_from(std::span<const std::uint64_t> words, std::size_t first, Index count) {
  const std::size_t word = first / 64, shift = first % 64;
  std::uint64_t out = words[word] >> shift;
  if (shift != 0 && word + 1 < words.size()) out |= words[word + 1] << (64 - shift);
  return count >= 64 ? out : out & ((std::uint64_t{1} << count) - 1);
}

/// The first word from `w` on that is not empty. Most words are empty, so eight are skipped at a
/// time.
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

/// The first bit from `from` on, before `to`; `to` when there is none.
std::size_t first_bit(std::span<const std::uint64_t> words, std::size_t from, std::size_t to) {
  if (from == to) return to;
  if (const std::uint64_t here = words[from / 64] >> (from % 64); here != 0)
    return std::min(to, from + static_cast<std::size_t>(std::countr_zero(here)));
  const auto before_end = words.first((to + 63) / 64);
  const std::size_t w = first_filled(before_end, from / 64 + 1);
  if (w >= before_end.size()) return to;
  return std::min(to, 64 * w + static_cast<std::size_t>(std::countr_zero(words[w])));
}

/// The last bit before `to`; there must be one.
std::size_t last_bit(std::span<const std::uint64_t> words, std::size_t to) {
  std::size_t w = (to - 1) / 64;
  std::uint64_t word = words[w] << (63 - (to - 1) % 64);
  if (word != 0) return to - 1 - static_cast<std::size_t>(std::countl_zero(word));
  while (words[--w] == 0) continue;
  return 64 * w + 63 - static_cast<std::size_t>(std::countl_zero(words[w]));
}

[[gnu::always_inline]] inline std::int64_t common_bits(std::span<const std::uint64_t> a,
                                                       std::span<const std::uint64_t> b) {
  std::int64_t sum = 0;
  for (std::size_t w = 0; w < a.size(); ++w) sum += std::popcount(a[w] & b[w]);
  return sum;
}

#if defined(__x86_64__)
[[gnu::target("avx2,popcnt")]] std::int64_t common_bits_at_once(std::span<const std::uint64_t> a,
                                                                std::span<const std::uint64_t> b) {
  return common_bits(a, b);
}
#else
const auto common_bits_at_once = common_bits;
#endif

/// How many words away the neighbours of a voxel are.
struct Steps {
  Index y = 0, z = 0;
  bool along_x = true;
};

/// The bits of some rows of one slice that have a neighbour missing. Rows are read beyond their
/// ends without a check, because the voxels there are empty.
[[gnu::always_inline]] inline void find_border(const std::uint64_t* mask, std::uint64_t* out,
                                               Index words, const Steps& steps) {
  const std::uint64_t across = steps.along_x ? 0 : ~std::uint64_t{0};
  for (Index w = 0; w < words; ++w) {
    const std::uint64_t* here = mask + w;
    const std::uint64_t left = *here << 1 | here[-1] >> 63, right = *here >> 1 | here[1] << 63;
    const std::uint64_t inside = here[-steps.y] & here[steps.y] & here[-steps.z] & here[steps.z] &
                                 (left | across) & (right | across);
    out[w] = *here & ~inside;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void find_border_avx2(const std::uint64_t* mask, std::uint64_t* out,
                                              Index words, const Steps& steps) {
  find_border(mask, out, words, steps);
}
#else
constexpr auto* find_border_avx2 = find_border;
#endif

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
  const auto [nx, ny, nz] = mask.shape;
  const std::size_t slab = nx * ny, end = slab * nz, first = first_bit(mask.words, 0, end);
  if (first == end) return std::nullopt;
  Box box = {{0, index(ny), index(first / slab)},
             {0, 0, index(last_bit(mask.words, end) / slab) + 1}};
  std::vector<std::uint64_t> along(nx / 64 + 1);  // all rows combined
  for (std::size_t z = first / slab; z < static_cast<std::size_t>(box.high[2]); ++z) {
    const std::size_t slab_end = (z + 1) * slab,
                      in_slab = first_bit(mask.words, z * slab, slab_end);
    if (in_slab == slab_end) continue;
    const std::size_t low = in_slab / nx, high = last_bit(mask.words, slab_end) / nx + 1;
    box.low[1] = std::min(box.low[1], index(low - z * ny));
    box.high[1] = std::max(box.high[1], index(high - z * ny));
    for (std::size_t row = low; row < high; ++row)
      for (std::size_t x = 0; x < nx; x += 64)
        along[x / 64] |= bits_from(mask.words, row * nx + x, index(nx - x));
  }
  box.low[0] = index(first_bit(along, 0, nx));
  box.high[0] = index(last_bit(along, nx)) + 1;
  return box;
}

bool is_noisy(const PackedMask& mask) {
  std::size_t changes = 0, last = 0;
  for (const std::uint64_t word : mask.words) {
    changes += static_cast<std::size_t>(std::popcount(word ^ (word << 1 | last)));
    last = word >> 63;
  }
  return changes > mask.words.size() * 64 / 16;
}

BitVolume::BitVolume(const Place& size)
    : size_(size),
      words_((size[0] + 63) / 64),
      bits_(static_cast<std::size_t>(1 + words_ * size[1] * size[2] + words_behind)) {}

std::int64_t BitVolume::count() const {
  return in_common(*this, *this);
}

void BitVolume::clear(const BitVolume& others) {
  assert(size_ == others.size_);
  for (std::size_t w = 0; w < bits_.size(); ++w) bits_[w] &= ~others.bits_[w];
}

std::int64_t in_common(const BitVolume& a, const BitVolume& b) {
  assert(a.size_ == b.size_);
  return (has_bit_counts() ? common_bits_at_once : common_bits)(a.bits_, b.bits_);
}

BitVolume cropped(const PackedMask& mask, const Box& box) {
  return cropped_by(mask.shape, box,
                    [&](std::size_t first, std::size_t count, std::span<std::uint64_t> bits) {
                      for (std::size_t w = 0; w < bits.size(); ++w)
                        bits[w] = bits_from(mask.words, first + 64 * w, index(count - 64 * w));
                    });
}

Axes axes_of(const Shape& shape) {
  if (shape == Shape{1, 1, 1}) return {true, true, true};
  return {shape[0] > 1, shape[1] > 1, shape[2] > 1};
}

BitVolume border(const BitVolume& mask, const Axes& axes) {
  BitVolume out(mask.size());
  const auto find = has_avx2() ? find_border_avx2 : find_border;
  const Index row = mask.words(), slab = row * mask.size()[1];
  // For an axis without extent the neighbour is the word itself, which removes nothing.
  const Steps steps = {.y = axes[1] ? row : 0, .z = axes[2] ? slab : 0, .along_x = axes[0]};
  for (Index z = 1; z + 1 < mask.size()[2]; ++z)
    find(mask.row(1, z), out.row(1, z), slab - 2 * row, steps);
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

}  // namespace assay::metrics
