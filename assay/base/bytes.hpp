// SPDX-License-Identifier: Apache-2.0
/// Numbers in and out of raw bytes, in either byte order and at any alignment.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace assay {

template <std::size_t size>
struct BitsOfSize;
template <>
struct BitsOfSize<1> : std::type_identity<std::uint8_t> {};
template <>
struct BitsOfSize<2> : std::type_identity<std::uint16_t> {};
template <>
struct BitsOfSize<4> : std::type_identity<std::uint32_t> {};
template <>
struct BitsOfSize<8> : std::type_identity<std::uint64_t> {};

/// The unsigned integer as wide as T.
template <class T>
using Bits = typename BitsOfSize<sizeof(T)>::type;

template <std::unsigned_integral U>
constexpr U byte_swapped(U value) {
  if constexpr (sizeof(U) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(U) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(U) == 8) return __builtin_bswap64(value);
  return value;
}

/// An IEEE number of 128 bits, which no standard type holds on every machine.
struct Binary128 {
  std::uint64_t low, high;
};

/// The number at `at`. The byte order is a template argument so that loops have no branch in them.
template <class T, bool swapped>
T load(const std::byte* at) {
  if constexpr (std::is_same_v<T, Binary128>) {
    constexpr bool high_first = swapped == (std::endian::native == std::endian::little);
    const auto first = load<std::uint64_t, swapped>(at);
    const auto second = load<std::uint64_t, swapped>(at + 8);
    return high_first ? Binary128{second, first} : Binary128{first, second};
  } else {
    Bits<T> bits;
    std::memcpy(&bits, at, sizeof bits);
    if constexpr (swapped) bits = byte_swapped(bits);
    return std::bit_cast<T>(bits);
  }
}

/// The same with the byte order known only at run time: for headers.
template <class T>
T load(const std::byte* at, bool swapped) {
  return swapped ? load<T, true>(at) : load<T, false>(at);
}

/// Puts a number at `at`, lowest byte first on every machine: what we write is always the same.
template <class T>
void store_little_endian(std::byte* at, T value) {
  auto bits = std::bit_cast<Bits<T>>(value);
  if constexpr (std::endian::native == std::endian::big) bits = byte_swapped(bits);
  std::memcpy(at, &bits, sizeof bits);
}

/// The nearest double; infinity beyond its range, zero for numbers that only 128 bits can
/// distinguish from it.
inline double nearest_double(Binary128 number) {
  constexpr std::uint64_t one = std::uint64_t{1} << 48, fraction = one - 1;
  constexpr std::uint64_t dropped = (std::uint64_t{1} << 49) - 1;
  const bool negative = number.high >> 63 != 0;
  const auto exponent = static_cast<int>(number.high >> 48 & 0x7fff);
  // 64 leading bits; the last represents everything that is cut off, so that rounding to 53 is
  // right.
  const std::uint64_t leading = ((number.high & fraction) | one) << 15 | number.low >> 49 |
                                std::uint64_t{(number.low & dropped) != 0};
  const bool is_nan = (number.high & fraction) != 0 || number.low != 0;
  double magnitude = 0;
  if (exponent == 0x7fff) {
    magnitude = is_nan ? __builtin_nan("") : __builtin_inf();
  } else if (exponent != 0) {
    magnitude = __builtin_ldexp(static_cast<double>(leading), exponent - 16383 - 63);
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace assay
