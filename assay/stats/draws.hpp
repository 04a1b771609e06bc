// SPDX-License-Identifier: Apache-2.0
/// Many bounded draws from a Pcg64 at once, with the same stream as single draws.
//
// Lemire's method scales a 32-bit half to 0 .. bound - 1 by one multiplication and rejects it, very
// rarely, when the low half of the product is below a threshold. So a block is drawn as if nothing
// could be rejected. The least low half tells whether that was true; if not, the block is drawn
// again one by one.
//
// With AVX2, four walks that each take every fourth step of the generator run side by side. Their
// 128-bit products are put together from 32-bit limbs, since the processor's vectors multiply only
// those. Loads and stores are idle during this, so a `Sink` takes the indices of the step before
// straight from their register, which makes counting drawn items almost free.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/base/processor.hpp"
#include "assay/stats/random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::stats {

/// A sink that ignores everything. `remove` undoes what was added for a rejected block.
struct NoSink {
  void add_two(std::uint64_t) const {}
  void add(std::span<const std::uint32_t>) const {}
  void remove(std::span<const std::uint32_t>) const {}
};

/// Lemire's method for one bound, of at least 2.
struct Scale {
  explicit Scale(std::uint32_t bound_) : bound(bound_), threshold((0U - bound_) % bound_) {}

  std::uint64_t product(std::uint32_t half) const { return std::uint64_t{half} * bound; }
  bool rejects(std::uint64_t product) const {
    return static_cast<std::uint32_t>(product) < threshold;
  }

  std::uint32_t bound, threshold;
};

/// Draws one after the other; returns how many halves were rejected.
std::size_t draw_singly(Pcg64& bits, const Scale& scale, std::span<std::uint32_t> indices);

/// Draws both halves of as many words as fill the indices (an even number). False if one had to be
/// rejected.
bool draw_pairs(Pcg64& bits, const Scale& scale, std::span<std::uint32_t> indices);

/// The portable form: all draws, then the sink.
struct PortablePairs {
  template <class Sink>
  static bool draw(Pcg64& bits, const Scale& scale, std::span<std::uint32_t> indices, Sink sink) {
    const bool usable = draw_pairs(bits, scale, indices);
    sink.add(indices);
    return usable;
  }
};

#if defined(__x86_64__)

constexpr int odd = 0b10101010;  ///< for blending: the upper half of each lane from the second

/// Four walks of the generator as limbs: `limb0` and `limb1` in the low halves of their lanes (the
/// upper halves are undefined), the upper 64 bits of the state in `high`.
struct FourWalks {
  using Lanes = __m256i;

  [[gnu::target("avx2")]] explicit FourWalks(const Pcg64& bits) {
    std::array<std::uint64_t, 4> low{}, upper{};
    Uint128 state = bits.state(), factor = 1, sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      state = state * Pcg64::multiplier + bits.increment();
      low[k] = static_cast<std::uint64_t>(state);
      upper[k] = static_cast<std::uint64_t>(state >> 64);
      sum = sum * Pcg64::multiplier + 1;
      factor *= Pcg64::multiplier;
    }
    limb0 = _mm256_loadu_si256(reinterpret_cast<const Lanes*>(low.data()));
    limb1 = _mm256_srli_epi64(limb0, 32);
    high = _mm256_loadu_si256(reinterpret_cast<const Lanes*>(upper.data()));
    const Uint128 increment = bits.increment() * sum;
    by0 = all(limb_of(factor, 0));
    by1 = all(limb_of(factor, 1));
    by2 = all(limb_of(factor, 2));
    by32 = all(limb_of(factor, 3) | limb_of(factor, 2) << 32);
    by10 = all(limb_of(factor, 1) | limb_of(factor, 0) << 32);
    plus0 = all(limb_of(increment, 0));
    plus1 = all(limb_of(increment, 1));
    plus_high = all(static_cast<std::uint64_t>(increment >> 64));
  }

  static std::uint64_t limb_of(Uint128 value, unsigned limb) {
    return static_cast<std::uint32_t>(value >> (32 * limb));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Lanes all(std::uint64_t value) {
    return _mm256_set1_epi64x(static_cast<long long>(value));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Lanes mul(Lanes a, Lanes b) {
    return _mm256_mul_epu32(a, b);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Lanes sum(Lanes a, Lanes b) {
    return _mm256_add_epi64(a, b);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Lanes upper(Lanes a) {
    return _mm256_srli_epi64(a, 32);
  }

  /// The lower 64 bits of the state.
  [[gnu::target("avx2"), gnu::always_inline]] Lanes low() const {
    return _mm256_blend_epi32(limb0, _mm256_slli_epi64(limb1, 32), odd);
  }

  /// PCG's output: the halves of the state xored, rotated by its top bits.
  [[gnu::target("avx2"), gnu::always_inline]] Lanes output() const {
    const Lanes folded = _mm256_xor_si256(low(), high);
    const Lanes right = _mm256_srli_epi64(high, 58), left = _mm256_sub_epi64(all(64), right);
    return _mm256_or_si256(_mm256_srlv_epi64(folded, right), _mm256_sllv_epi64(folded, left));
  }

  /// state = state * factor + increment. No sum below overflows: (2^32 - 1)^2 leaves room for two
  /// more limbs.
  [[gnu::target("avx2"), gnu::always_inline]] void step() {
    const Lanes first = sum(mul(limb0, by0), plus0);
    const Lanes cross = sum(mul(limb0, by1), plus1);
    const Lanes second =
        sum(sum(upper(first), _mm256_and_si256(cross, all(0xFFFFFFFFU))), mul(limb1, by0));
    const Lanes carried = sum(sum(upper(second), upper(cross)), plus_high);
    const Lanes third = sum(carried, sum(mul(limb0, by2), sum(mul(limb1, by1), mul(high, by0))));
    // Only 32 bits of the top limb are needed: two products in one instruction.
    const Lanes tops =
        _mm256_add_epi32(_mm256_mullo_epi32(low(), by32), _mm256_mullo_epi32(high, by10));
    const Lanes fourth = _mm256_add_epi32(tops, _mm256_slli_epi64(tops, 32));
    limb0 = first;
    limb1 = second;
    high = sum(third, _mm256_blend_epi32(all(0), fourth, odd));
  }

  /// The state of the first walk.
  [[gnu::target("avx2")]] Uint128 front() const {
    const auto top = static_cast<std::uint64_t>(high[0]),
               middle = static_cast<std::uint64_t>(limb1[0]);
    return Uint128{top} << 64 | middle << 32 | static_cast<std::uint32_t>(limb0[0]);
  }

  Lanes limb0, limb1, high;                                  // state
  Lanes by0, by1, by2, by32, by10, plus0, plus1, plus_high;  // factor and increment of four steps
};

struct Avx2Pairs {
  template <class Sink>
  [[gnu::target("avx2")]] static bool draw(Pcg64& bits, const Scale& scale,
                                           std::span<std::uint32_t> indices, Sink sink) {
    constexpr std::size_t step = 8;
    const std::size_t whole = indices.size() - indices.size() % step;
    FourWalks walks(bits);
    const __m256i bound = FourWalks::all(scale.bound);
    __m256i least = FourWalks::all(~std::uint64_t{0}), drawn = least;
    for (std::size_t i = 0; i < whole; i += step) {
      const __m256i before = drawn, words = walks.output();
      const __m256i first = FourWalks::mul(words, bound);
      const __m256i second = FourWalks::mul(FourWalks::upper(words), bound);
      drawn = _mm256_blend_epi32(FourWalks::upper(first), second, odd);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(indices.data() + i), drawn);
      least = _mm256_min_epu32(least, _mm256_min_epu32(first, second));
      walks.step();
      if (i > 0) add_all(before, sink);
    }
    if (whole > 0) add_all(drawn, sink);
    bits.set_state((walks.front() - bits.increment()) * Pcg64::inverse);
    const bool rest = draw_pairs(bits, scale, indices.subspan(whole));
    sink.add(indices.subspan(whole));
    std::array<std::uint32_t, step> low{};  // those in even places are the low halves
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(low.data()), least);
    return rest && std::min({low[0], low[2], low[4], low[6]}) >= scale.threshold;
  }

 private:
  template <class Sink>
  [[gnu::target("avx2"), gnu::always_inline]] static void add_all(__m256i drawn, Sink sink) {
    sink.add_two(static_cast<std::uint64_t>(_mm256_extract_epi64(drawn, 0)));
    sink.add_two(static_cast<std::uint64_t>(_mm256_extract_epi64(drawn, 1)));
    sink.add_two(static_cast<std::uint64_t>(_mm256_extract_epi64(drawn, 2)));
    sink.add_two(static_cast<std::uint64_t>(_mm256_extract_epi64(drawn, 3)));
  }
};

#else
using Avx2Pairs = PortablePairs;
#endif

/// Draws below `bound` for all places of `indices`; returns how many halves were rejected.
template <class Pairs, class Sink>
std::size_t draw_below(Pcg64& bits, std::uint32_t bound, std::span<std::uint32_t> indices,
                       Sink sink) {
  if (bound <= 1) {
    std::fill(indices.begin(), indices.end(), 0U);
    sink.add(indices);
    return 0;
  }
  constexpr std::size_t block = 1024;  // what one rejection makes us draw again
  const Scale scale(bound);
  std::size_t rejected = 0;
  while (!indices.empty()) {
    const std::size_t pairs = std::min(block, indices.size()) / 2;
    const bool paired = pairs > 0 && !bits.buffered();
    const auto part = indices.first(paired ? 2 * pairs : 1);
    indices = indices.subspan(part.size());
    const Pcg64 before = bits;
    if (paired && Pairs::draw(bits, scale, part, sink)) continue;
    if (paired) sink.remove(part);
    bits = before;
    rejected += draw_singly(bits, scale, part);
    sink.add(part);
  }
  return rejected;
}

/// The same with the fastest form that this processor has.
template <class Sink>
std::size_t draw_below(Pcg64& bits, std::uint32_t bound, std::span<std::uint32_t> indices,
                       Sink sink) {
  return has_avx2() ? draw_below<Avx2Pairs>(bits, bound, indices, sink)
                    : draw_below<PortablePairs>(bits, bound, indices, sink);
}

}  // namespace assay::stats
