// SPDX-License-Identifier: Apache-2.0
//
// Published bootstrap numbers name a seed, not a stream; with Python that means this one. NumPy
// promises not to change SeedSequence and PCG64, and the bounded draws have been the same from 1.17
// to 2.4. The hash constants are those of O'Neill, "Developing a seed_seq alternative" (2015).
#include "assay/stats/random.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "assay/error.hpp"
#include "assay/stats/draws.hpp"

namespace assay::stats {
namespace {

/// One round of the hash: the multiplier itself changes with every word.
struct Hash {
  std::uint32_t constant, factor;

  std::uint32_t operator()(std::uint32_t word) {
    word ^= constant;
    constant *= factor;
    word *= constant;
    return word ^ (word >> 16);
  }
};

std::uint32_t mixed(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t sum = 0xca01f9ddU * x - 0x4973f715U * y;
  return sum ^ (sum >> 16);
}

std::vector<std::uint32_t> with_spawn_key(std::span<const std::uint32_t> entropy,
                                          std::span<const std::uint32_t> key) {
  std::vector<std::uint32_t> words(entropy.begin(), entropy.end());
  if (!key.empty()) words.resize(std::max<std::size_t>(words.size(), 4));
  words.insert(words.end(), key.begin(), key.end());
  return words;
}

/// words = words * 10 + digit, with carries into further words.
void append_digit(std::vector<std::uint32_t>& words, char digit) {
  auto carry = static_cast<std::uint64_t>(digit - '0');
  for (std::uint32_t& word : words) {
    carry += std::uint64_t{word} * 10;
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) words.push_back(static_cast<std::uint32_t>(carry));
}

}  // namespace

std::vector<std::uint32_t> seed_words(std::uint64_t seed) {
  std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(seed)};
  if (seed >> 32 != 0) words.push_back(static_cast<std::uint32_t>(seed >> 32));
  return words;
}

std::vector<std::uint32_t> seed_words(std::string_view decimal) {
  const bool digits =
      std::all_of(decimal.begin(), decimal.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (decimal.empty() || !digits)
    throw Error(Error::Kind::usage, "seed '" + std::string(decimal) +
                                        "' is not a whole number of at least 0 in decimal digits");
  std::vector<std::uint32_t> words = {0};
  for (const char digit : decimal) append_digit(words, digit);
  return words;
}

SeedSequence::SeedSequence(std::span<const std::uint32_t> entropy,
                           std::span<const std::uint32_t> spawn_key) {
  const std::vector<std::uint32_t> words = with_spawn_key(entropy, spawn_key);
  Hash hash = {0x43b0d7e5U, 0x931e8875U};
  for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hash(i < words.size() ? words[i] : 0);
  for (std::size_t from = 0; from < pool_.size(); ++from)
    for (std::size_t to = 0; to < pool_.size(); ++to)
      if (from != to) pool_[to] = mixed(pool_[to], hash(pool_[from]));
  for (std::size_t from = pool_.size(); from < words.size(); ++from)
    for (std::uint32_t& to : pool_) to = mixed(to, hash(words[from]));
}

std::vector<std::uint32_t> SeedSequence::words32(std::size_t count) const {
  Hash hash = {0x8b51f9ddU, 0x58f38dedU};
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = hash(pool_[i % pool_.size()]);
  return words;
}

std::vector<std::uint64_t> SeedSequence::words64(std::size_t count) const {
  const std::vector<std::uint32_t> halves = words32(2 * count);
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i)
    words[i] = std::uint64_t{halves[2 * i]} | std::uint64_t{halves[2 * i + 1]} << 32;
  return words;
}

Pcg64::Pcg64(const SeedSequence& seed) {
  const std::vector<std::uint64_t> words = seed.words64(4);
  const Uint128 start = Uint128{words[0]} << 64 | words[1];
  const Uint128 sequence = Uint128{words[2]} << 64 | words[3];
  increment_ = sequence << 1 | 1;
  step();
  state_ += start;
  step();
}

void Pcg64::fill64(std::span<std::uint64_t> words) {
  constexpr std::size_t lanes = 4;
  constexpr Uint128 stride = multiplier * multiplier * multiplier * multiplier;
  const Uint128 jump = increment_ * (((multiplier + 1) * multiplier + 1) * multiplier + 1);
  // Each step waits for the one before it, but four walks that each take every fourth step do not
  // wait for each other.
  std::array<Uint128, lanes> lane{};
  Uint128 ahead = state_;
  for (Uint128& each : lane) each = ahead = ahead * multiplier + increment_;
  const std::size_t whole = words.size() - words.size() % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    state_ = lane.back();
    for (std::size_t k = 0; k < lanes; ++k) {
      words[i + k] = output(lane[k]);
      lane[k] = lane[k] * stride + jump;
    }
  }
  for (std::size_t i = whole; i < words.size(); ++i) words[i] = next64();
}

void Pcg64::advance(std::uint64_t steps) {
  Uint128 factor = multiplier, term = increment_;  // of 1, 2, 4, ... steps
  for (; steps != 0; steps >>= 1) {
    if ((steps & 1) != 0) state_ = state_ * factor + term;
    term *= factor + 1;
    factor *= factor;
  }
}

void Pcg64::skip32(std::uint64_t halves) {
  if (halves > 0 && std::exchange(buffered_, false)) --halves;
  advance(halves / 2);
  if (halves % 2 != 0) next32();
}

std::uint64_t Generator::redrawn32(std::uint32_t bound, std::uint64_t product) {
  const std::uint32_t threshold = (0U - bound) % bound;
  while (static_cast<std::uint32_t>(product) < threshold)
    product = std::uint64_t{bits_.next32()} * bound;
  return product;
}

std::size_t Generator::fill_below(std::uint32_t bound, std::span<std::uint32_t> indices) {
  NoSink nothing;
  return draw_below(bits_, bound, indices, nothing);
}

std::uint64_t Generator::below64(std::uint64_t bound) {
  if (bound == 0) return bits_.next64();
  if (bound == 0x100000000U) return bits_.next32();
  Uint128 product = Uint128{bits_.next64()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0U - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold)
      product = Uint128{bits_.next64()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::vector<std::uint64_t> default_rng_choice(std::span<const std::uint32_t> seed, std::uint64_t n,
                                              std::size_t size) {
  if (n == 0 && size > 0)
    throw Error(Error::Kind::usage, "cannot choose from 0 items; n must be at least 1");
  Generator generator{SeedSequence(seed)};
  std::vector<std::uint64_t> indices(size);
  std::generate(indices.begin(), indices.end(), [&] { return generator.below(n); });
  return indices;
}

namespace {

using Subset = std::vector<std::uint32_t>;

/// The number of subsets, or anything above `most` when there are more.
std::size_t number_of_subsets(std::size_t count, std::size_t size, std::size_t most) {
  std::size_t out = 1;
  for (std::size_t i = 0; i < std::min(size, count - size) && out <= most; ++i)
    out = out * (count - i) / (i + 1);
  return out;
}

/// The next one in the order of a dictionary; false after the last.
bool advance(Subset& subset, std::size_t count) {
  const std::size_t size = subset.size();
  for (std::size_t i = size; i-- > 0;) {
    if (subset[i] == count - size + i) continue;
    ++subset[i];
    for (std::size_t j = i + 1; j < size; ++j) subset[j] = subset[j - 1] + 1;
    return true;
  }
  return false;
}

/// The first places of a shuffle.
Subset drawn_subset(std::size_t count, std::size_t size, Generator& chance) {
  Subset out(count);
  std::iota(out.begin(), out.end(), 0U);
  for (std::size_t i = 0; i < size; ++i) std::swap(out[i], out[i + chance.below(count - i)]);
  out.resize(size);
  std::ranges::sort(out);
  return out;
}

}  // namespace

Subsets subsets(std::size_t count, std::size_t size, std::size_t most, std::uint64_t seed) {
  if (size > count || most == 0)
    throw Error(Error::Kind::usage, "a subset cannot have more members than there are");
  Subsets out;
  out.all = number_of_subsets(count, size, most) <= most;
  if (out.all) {
    Subset next(size);
    std::iota(next.begin(), next.end(), 0U);
    do out.members.push_back(next);
    while (advance(next, count));
    return out;
  }
  const std::uint32_t key[] = {static_cast<std::uint32_t>(size)};
  Generator chance{SeedSequence(seed_words(seed), key)};
  for (std::size_t i = 0; i < most; ++i) out.members.push_back(drawn_subset(count, size, chance));
  return out;
}

}  // namespace assay::stats
