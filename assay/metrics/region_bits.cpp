// SPDX-License-Identifier: Apache-2.0
// Nearly all blocks of 64 voxels hold one label, or two on a border between them. So a block is
// compared with each label of the region that the map has; a table of all codes is used only for
// regions of many labels.
#include "assay/metrics/region_bits.hpp"

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <vector>

#include "assay/base/processor.hpp"
#include "assay/metrics/neon.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::metrics {
namespace {

constexpr std::size_t few_codes = 6;

/// Which codes of the map are in the region.
struct Members {
  const Codes& codes;
  std::vector<std::uint8_t> is_member{};  ///< by code; empty when there are few

  bool contains(std::size_t code) const {
    return is_member.empty() ? std::ranges::find(codes, code) != codes.end() : is_member[code] != 0;
  }
};

/// A table for each of 65,536 regions would take longer than everything else.
Members members_of(const LabelView& labels, const Codes& codes) {
  Members out{codes};
  if (codes.size() <= few_codes) return out;
  out.is_member.resize(labels.values.size());
  for (const std::uint16_t code : codes) out.is_member[code] = 1;
  return out;
}

template <class Code>
std::uint64_t looked_up(const Code* codes, std::size_t count, const Members& members) {
  std::uint64_t out = 0;
  if (members.is_member.empty())
    for (const std::uint16_t code : members.codes)
      for (std::size_t i = 0; i < count; ++i) out |= std::uint64_t{codes[i] == code ? 1U : 0U} << i;
  else
    for (std::size_t i = 0; i < count; ++i) out |= std::uint64_t{members.is_member[codes[i]]} << i;
  return out;
}

template <class Code>
void pack_by_table(std::span<const Code> codes, const Members& members,
                   std::span<std::uint64_t> bits) {
  for (std::size_t w = 0; w < bits.size(); ++w)
    bits[w] =
        looked_up(codes.data() + 64 * w, std::min<std::size_t>(64, codes.size() - 64 * w), members);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void pack_few(std::span<const std::uint8_t> codes, const Members& members,
                                      std::span<std::uint64_t> bits) {
  for (std::size_t w = 0; w < codes.size() / 64; ++w) {
    const auto* at = reinterpret_cast<const __m256i*>(codes.data() + 64 * w);
    const __m256i low = _mm256_loadu_si256(at), high = _mm256_loadu_si256(at + 1);
    std::uint64_t word = 0;
    for (const std::uint16_t code : members.codes) {
      const __m256i wanted = _mm256_set1_epi8(static_cast<char>(code));
      const int first = _mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
      const int second = _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));
      word |= std::uint64_t{static_cast<std::uint32_t>(first)} |
              std::uint64_t{static_cast<std::uint32_t>(second)} << 32;
    }
    bits[w] = word;
  }
}
#elif defined(__aarch64__)
void pack_few(std::span<const std::uint8_t> codes, const Members& members,
              std::span<std::uint64_t> bits) {
  for (std::size_t w = 0; w < codes.size() / 64; ++w) {
    const uint8x16x4_t parts = vld1q_u8_x4(codes.data() + 64 * w);
    uint8x16x4_t equal = {};
    for (const std::uint16_t code : members.codes)
      for (std::size_t k = 0; k < 4; ++k)
        equal.val[k] = vorrq_u8(
            equal.val[k], vceqq_u8(parts.val[k], vdupq_n_u8(static_cast<std::uint8_t>(code))));
    bits[w] = word_of(equal);
  }
}
#else
const auto pack_few = pack_by_table<std::uint8_t>;
#endif

void pack_whole_words(std::span<const std::uint8_t> codes, const Members& members,
                      std::span<std::uint64_t> bits) {
  const bool quick = (has_neon || has_avx2()) && members.codes.size() <= few_codes;
  (quick ? pack_few : pack_by_table<std::uint8_t>)(codes, members, bits);
}

void pack_codes(std::span<const std::uint8_t> codes, const Members& members,
                std::span<std::uint64_t> bits) {
  const std::size_t whole = codes.size() / 64;
  pack_whole_words(codes.first(64 * whole), members, bits.first(whole));
  if (codes.size() % 64 != 0)
    bits.back() = looked_up(codes.data() + 64 * whole, codes.size() % 64, members);
}

void pack_codes(std::span<const std::uint16_t> codes, const Members& members,
                std::span<std::uint64_t> bits) {
  pack_by_table(codes, members, bits);
}

void set_bits(std::span<std::uint64_t> bits, std::size_t first, std::size_t end) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  while (first < end) {
    const std::size_t word = first / 64, stop = std::min(end, (word + 1) * 64);
    bits[word] |= all << (first % 64) & all >> ((64 - stop % 64) % 64);
    first = stop;
  }
}

/// Reads runs from voxels in ascending order over the calls.
class RunBits {
 public:
  RunBits(std::span<const Run> runs, const Members& members) : runs_(runs), members_(members) {}

  void pack(std::size_t first, std::size_t count, std::span<std::uint64_t> bits) {
    std::ranges::fill(bits, 0);
    if (at_ == 0) skip_to(first);
    while (at_ < runs_.size() && runs_[at_].end <= first) ++at_;
    std::size_t begin = first;
    for (std::size_t i = at_; i < runs_.size() && begin < first + count; ++i) {
      const std::size_t end = std::min<std::size_t>(runs_[i].end, first + count);
      if (members_.contains(runs_[i].code)) set_bits(bits, begin - first, end - first);
      begin = end;
    }
  }

 private:
  void skip_to(std::size_t first) {
    at_ = static_cast<std::size_t>(std::ranges::upper_bound(runs_, first, {}, &Run::end) -
                                   runs_.begin());
  }

  std::span<const Run> runs_;
  const Members& members_;
  std::size_t at_ = 0;
};

void pack_codes(std::span<const Run> runs, const Members& members, std::span<std::uint64_t> bits) {
  RunBits(runs, members).pack(0, runs.empty() ? 0 : runs.back().end, bits);
}

/// Packs some voxels from `first` on. Whole words are packed at once, so more voxels are read where
/// there are more.
template <class Code>
void pack_part(std::span<const Code> codes, std::size_t first, std::size_t count,
               const Members& members, std::span<std::uint64_t> bits) {
  const std::size_t room = 64 * bits.size();
  if (first + room > codes.size()) return pack_codes(codes.subspan(first, count), members, bits);
  pack_codes(codes.subspan(first, room), members, bits);
  if (count % 64 != 0) bits.back() &= (std::uint64_t{1} << (count % 64)) - 1;
}

/// Prefetches voxels that are needed soon. The rows of a box lie so far apart that processors do
/// not predict them, and waiting for memory would take longer than everything else.
template <class Code>
void fetch_ahead(std::span<const Code> codes, std::size_t first, std::size_t count) {
  constexpr std::size_t per_line = 64 / sizeof(Code);
  for (std::size_t at = first; at < std::min(first + count + per_line, codes.size());
       at += per_line)
    __builtin_prefetch(codes.data() + at);
}

}  // namespace

Codes codes_of(const LabelView& labels, const Region& region) {
  Codes out;
  for (std::size_t code = 0; code < labels.values.size(); ++code)
    if (region.contains(labels.values[code])) out.push_back(static_cast<std::uint16_t>(code));
  return out;
}

void pack_region(const LabelView& labels, const Region& region, std::span<std::uint64_t> bits) {
  const Codes in_region = codes_of(labels, region);
  const Members members = members_of(labels, in_region);
  std::visit([&](const auto& codes) { pack_codes(codes, members, bits); }, labels.codes);
}

BitVolume cropped(const LabelView& labels, const Codes& of_region, const Box& box) {
  const Members members = members_of(labels, of_region);
  using Words = std::span<std::uint64_t>;
  return std::visit(
      [&]<class Code>(std::span<const Code> codes) {
        if constexpr (std::is_same_v<Code, Run>) {
          RunBits runs(codes, members);
          return cropped_by(labels.grid.shape, box,
                            [&](std::size_t first, std::size_t count, Words bits) {
                              runs.pack(first, count, bits);
                            });
        } else {
          const std::size_t slice = labels.grid.shape[0] * labels.grid.shape[1];
          return cropped_by(labels.grid.shape, box,
                            [&](std::size_t first, std::size_t count, Words bits) {
                              fetch_ahead(codes, first + slice, count);
                              pack_part(codes, first, count, members, bits);
                            });
        }
      },
      labels.codes);
}

void clear_bits(std::span<std::uint64_t> bits, std::span<const std::uint64_t> ignored) {
  assert(bits.size() == ignored.size());
  for (std::size_t w = 0; w < bits.size(); ++w) bits[w] &= ~ignored[w];
}

}  // namespace assay::metrics
