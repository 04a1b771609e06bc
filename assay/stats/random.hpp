// SPDX-License-Identifier: Apache-2.0
/// NumPy's `default_rng(seed)` stream, bit for bit.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::stats {

__extension__ using Uint128 = unsigned __int128;

/// A seed as NumPy splits it: little-endian words of 32 bits, {0} for zero.
std::vector<std::uint32_t> seed_words(std::uint64_t seed);

/// The same for a seed of any size in decimal digits; anything else is an Error.
std::vector<std::uint32_t> seed_words(std::string_view decimal);

/// Expands a seed to as many words as are asked for (O'Neill's seed_seq alternative, as in NumPy).
/// `spawn_key` names a child: SeedSequence(s).spawn(n)[k] has the key {k}.
class SeedSequence {
 public:
  explicit SeedSequence(std::span<const std::uint32_t> entropy,
                        std::span<const std::uint32_t> spawn_key = {});

  const std::array<std::uint32_t, 4>& pool() const { return pool_; }
  std::vector<std::uint32_t> words32(std::size_t count) const;
  std::vector<std::uint64_t> words64(std::size_t count) const;

 private:
  std::array<std::uint32_t, 4> pool_{};
};

/// PCG64 (XSL-RR 128/64, O'Neill 2014) with NumPy's buffered half for 32-bit draws.
class Pcg64 {
 public:
  explicit Pcg64(const SeedSequence& seed);

  std::uint64_t next64() {
    step();
    return output(state_);
  }

  /// The low half first; the high half waits, also across calls, until the next 32-bit draw.
  std::uint32_t next32() {
    if (std::exchange(buffered_, !buffered_)) return buffer_;
    const std::uint64_t both = next64();
    buffer_ = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both);
  }

  /// next64() as many times as there are places; the waiting half is left alone.
  void fill64(std::span<std::uint64_t> words);

  /// next64() `steps` times, in as many multiplications as `steps` has bits (Brown 1994).
  void advance(std::uint64_t steps);

  /// next32() `halves` times, as quickly.
  void skip32(std::uint64_t halves);

  /// Uniform in [0, 1); neither uses nor clears the buffered half.
  double next_double() { return static_cast<double>(next64() >> 11) * 0x1p-53; }

  Uint128 state() const { return state_; }
  Uint128 increment() const { return increment_; }
  bool buffered() const { return buffered_; }
  std::uint32_t buffer() const { return buffer_; }
  void set_state(Uint128 state) { state_ = state; }

  static constexpr Uint128 multiplier =
      (Uint128{2549297995355413924U} << 64) | Uint128{4865540595714422341U};
  /// multiplier * inverse = 1: a step back is (state - increment) * inverse.
  static constexpr Uint128 inverse =
      (Uint128{566787436162029664U} << 64) | Uint128{11001107174925446285U};
  static_assert(multiplier * inverse == 1);

 private:
  static std::uint64_t output(Uint128 state) {
    const auto high = static_cast<std::uint64_t>(state >> 64);
    return std::rotr(high ^ static_cast<std::uint64_t>(state), static_cast<int>(high >> 58));
  }
  void step() { state_ = state_ * multiplier + increment_; }

  Uint128 state_{}, increment_{};
  std::uint32_t buffer_ = 0;
  bool buffered_ = false;
};

/// A whole number in 0..greatest by masked rejection, as NumPy draws for shuffles. `source` has
/// next32() and next64().
template <class Source>
std::uint64_t masked_draw(Source& source, std::uint64_t greatest) {
  if (greatest == 0) return 0;
  std::uint64_t mask = greatest;
  for (const unsigned shift : {1U, 2U, 4U, 8U, 16U, 32U}) mask |= mask >> shift;
  const bool narrow = greatest <= 0xFFFFFFFFU;
  for (;;) {
    const std::uint64_t drawn = (narrow ? source.next32() : source.next64()) & mask;
    if (drawn <= greatest) return drawn;
  }
}

/// Fisher-Yates from the end, as NumPy shuffles.
template <class Source, class T>
void shuffle_from_end(Source& source, std::span<T> items) {
  for (std::size_t i = items.size(); i-- > 1;)
    std::swap(items[i], items[static_cast<std::size_t>(masked_draw(source, i))]);
}

/// numpy.random.Generator with a PCG64.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : Generator(SeedSequence(seed_words(seed))) {}
  explicit Generator(const SeedSequence& seed) : bits_(seed) {}

  double uniform() { return bits_.next_double(); }

  /// integers(0, bound): Lemire's method (2019), 32 bits wide where that suffices. A bound of 1
  /// consumes nothing; a bound of 0 means 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return bound - 1 < 0xFFFFFFFFU ? below32(static_cast<std::uint32_t>(bound)) : below64(bound);
  }

  /// `below` for bounds up to 2^32 - 1, as many times as there are places: the same stream, faster.
  /// Returns how many draws were rejected.
  std::size_t fill_below(std::uint32_t bound, std::span<std::uint32_t> indices);

  template <class T>
  void shuffle(std::span<T> items) {
    shuffle_from_end(bits_, items);
  }

  const Pcg64& bits() const { return bits_; }

 private:
  std::uint32_t below32(std::uint32_t bound) {
    if (bound <= 1) return 0;
    std::uint64_t product = std::uint64_t{bits_.next32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]]
      product = redrawn32(bound, product);
    return static_cast<std::uint32_t>(product >> 32);
  }
  std::uint64_t redrawn32(std::uint32_t bound, std::uint64_t product);
  std::uint64_t below64(std::uint64_t bound);

  Pcg64 bits_;
};

/// default_rng(seed).choice(n, size): indices below n, with replacement.
std::vector<std::uint64_t> default_rng_choice(std::span<const std::uint32_t> seed, std::uint64_t n,
                                              std::size_t size);

// NumPy's legacy `RandomState(seed)`, as far as scikit-learn's splitters use it.

/// MT19937 seeded with one word, which is exactly what std::mt19937 is; the shuffle is NumPy's.
class RandomState {
 public:
  explicit RandomState(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t next32() { return static_cast<std::uint32_t>(engine_()); }
  std::uint64_t next64() {
    const std::uint64_t high = next32();
    return high << 32 | next32();
  }

  template <class T>
  void shuffle(std::span<T> items) {
    shuffle_from_end(*this, items);
  }

 private:
  std::mt19937 engine_;
};

// Subsets of a few things: all of them, or many at random.

struct Subsets {
  std::vector<std::vector<std::uint32_t>> members{};  ///< each ascending, from 0
  bool all = true;                                    ///< every subset once; otherwise drawn
};

/// Subsets of `size` of `count` things, in the order of a dictionary. When there are more than
/// `most`, that many are drawn with `seed`, each independently of the others.
Subsets subsets(std::size_t count, std::size_t size, std::size_t most, std::uint64_t seed);

}  // namespace assay::stats
