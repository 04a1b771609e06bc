// SPDX-License-Identifier: Apache-2.0
/// The bits of deflate data, and the Huffman codes in them (RFC 1951).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace assay {

inline std::uint64_t word_at(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// The input, lowest bit first. After its end come zeros, which `has_overrun` reports.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes)
      : at_(bytes.data()), end_(at_ + bytes.size()) {}

  /// Makes at least 56 bits ready.
  void refill() {
    if (end_ - at_ >= 8) {
      std::uint64_t word = word_at(at_);
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
      bits_ |= word << count_;
      at_ += (63 - count_) >> 3;
      count_ |= 56;
      return;
    }
    for (; count_ < 56; count_ += 8) {
      if (at_ == end_)
        ++missing_;
      else
        bits_ |= std::to_integer<std::uint64_t>(*at_++) << count_;
    }
  }
  std::uint64_t bits() const { return bits_; }
  unsigned ready() const { return count_; }
  void drop(unsigned count) {
    bits_ >>= count;
    count_ -= count;
  }
  unsigned take(unsigned count) {
    const auto out = static_cast<unsigned>(bits_ & ((std::uint64_t{1} << count) - 1));
    drop(count);
    return out;
  }
  bool has_overrun() const { return missing_ * 8 > count_; }

  /// Returns the bytes from the next whole one on, and continues reading there.
  std::span<const std::byte> from_next_byte() {
    const std::size_t ahead = count_ / 8;
    at_ -= ahead > missing_ ? ahead - missing_ : 0;
    bits_ = 0;
    count_ = 0;
    missing_ = 0;
    return {at_, end_};
  }
  void skip(std::size_t bytes) { at_ += bytes; }

  /// The input from the byte with the next bit on, and how many of that byte's bits are already
  /// used.
  std::pair<std::span<const std::byte>, unsigned> rest() const {
    const unsigned ahead = count_ - std::min(count_, missing_ * 8);
    return {{at_ - (ahead + 7) / 8, end_}, (8 - ahead % 8) % 8};
  }

 private:
  const std::byte *at_, *end_;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0, missing_ = 0;
};
/// What a code means.
struct Symbol {
  enum Kind : std::uint8_t { number, literal, end, invalid };
  std::uint16_t base = 0;
  std::uint8_t extra = 0;  ///< bits after the code that are added to `base`
  Kind kind = invalid;
};

struct Decoded {
  Symbol symbol;
  std::uint8_t bits = 0;  ///< of the code; 0 when there is no such code
};

inline constexpr std::size_t longest_code = 15;

/// A table by the next bits of the input for short codes, and canonical search for long ones.
template <std::size_t table_bits, std::size_t most>
class Code {
 public:
  /// False unless the lengths make a complete code; as in zlib, a single code of one bit is
  /// accepted.
  bool build(std::span<const std::uint8_t> lengths, std::span<const Symbol> symbols) {
    counts_ = {};
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    int left = 1;
    std::size_t longest = 0;
    for (std::size_t length = 1; length <= longest_code; ++length) {
      left = 2 * left - counts_[length];
      if (left < 0) return false;
      if (counts_[length] != 0) longest = length;
    }
    if (left > 0 && longest > 1) return false;
    sort(lengths, symbols);
    fill(std::min(longest, table_bits));
    return true;
  }

  Decoded next(std::uint64_t bits) const {
    const Decoded found = table_[bits & mask_];
    return found.bits != 0 ? found : long_code(bits);
  }

 private:
  void sort(std::span<const std::uint8_t> lengths, std::span<const Symbol> symbols) {
    std::array<std::uint16_t, longest_code + 2> starts{};
    for (std::size_t length = 1; length <= longest_code; ++length)
      starts[length + 1] = static_cast<std::uint16_t>(starts[length] + counts_[length]);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (lengths[i] != 0) sorted_[starts[lengths[i]]++] = symbols[i];
  }

  /// The table is no larger than the longest code needs, because most blocks of a mask have few
  /// codes.
  void fill(std::size_t bits) {
    const std::size_t size = std::size_t{1} << bits;
    mask_ = size - 1;
    std::fill_n(table_.begin(), size, Decoded{});
    unsigned code = 0;
    std::size_t at = 0;
    for (std::size_t length = 1; length <= bits; ++length, code <<= 1)
      for (int i = 0; i < counts_[length]; ++i, ++code, ++at) {
        unsigned reversed = 0;
        for (std::size_t bit = 0; bit < length; ++bit)
          reversed |= (code >> bit & 1) << (length - 1 - bit);
        for (std::size_t place = reversed; place < size; place += std::size_t{1} << length)
          table_[place] = {sorted_[at], static_cast<std::uint8_t>(length)};
      }
  }

  Decoded long_code(std::uint64_t bits) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t length = 1; length <= longest_code; ++length, bits >>= 1) {
      code |= static_cast<int>(bits & 1);
      const int count = counts_[length];
      if (code - count < first)
        return {sorted_[static_cast<std::size_t>(index + code - first)],
                static_cast<std::uint8_t>(length)};
      index += count;
      first = (first + count) * 2;
      code *= 2;
    }
    return {};
  }

  std::array<Decoded, std::size_t{1} << table_bits> table_;
  std::size_t mask_ = 0;
  std::array<std::uint16_t, longest_code + 1> counts_{};
  std::array<Symbol, most> sorted_;
};

inline constexpr unsigned greatest_length = 258;

/// The symbols of literals and lengths: 286 and 287 never occur in valid data.
inline constexpr auto literal_symbols = [] {
  std::array<Symbol, 288> out{};
  for (std::uint16_t i = 0; i < 256; ++i) out[i] = {i, 0, Symbol::literal};
  out[256] = {0, 0, Symbol::end};
  std::uint16_t base = 3;
  for (std::size_t i = 257; i < 285; ++i) {
    const auto extra = static_cast<std::uint8_t>(i < 265 ? 0 : (i - 261) / 4);
    out[i] = {base, extra, Symbol::number};
    base = static_cast<std::uint16_t>(base + (1 << extra));
  }
  out[285] = {greatest_length, 0, Symbol::number};
  return out;
}();

inline constexpr auto distance_symbols = [] {
  std::array<Symbol, 32> out{};
  std::uint16_t base = 1;
  for (std::size_t i = 0; i < 30; ++i) {
    const auto extra = static_cast<std::uint8_t>(i < 4 ? 0 : i / 2 - 1);
    out[i] = {base, extra, Symbol::number};
    base = static_cast<std::uint16_t>(base + (1 << extra));
  }
  return out;
}();

/// The symbols in which a block writes the lengths of its codes.
inline constexpr auto length_symbols = [] {
  std::array<Symbol, 19> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = {static_cast<std::uint16_t>(i), 0, Symbol::literal};
  return out;
}();

}  // namespace assay
