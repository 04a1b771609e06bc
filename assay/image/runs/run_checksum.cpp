// SPDX-License-Identifier: Apache-2.0
// A CRC is the remainder of a polynomial over GF(2), so n zero bytes multiply it by x^(8n). A
// repeated pattern is no harder: there is one remainder that the pattern does not change (its fixed
// point), and each repetition multiplies the difference from it by x^(8 width).
#include "assay/image/runs/run_checksum.hpp"

#include <libdeflate.h>

#include <array>
#include <bit>

#include "assay/base/crc32.hpp"

namespace assay {
namespace {

/// Polynomials of degree below 32, the coefficient of x^0 in the highest bit, as CRC-32 keeps them.
using Remainder = std::uint32_t;

constexpr Remainder identity = 0x80000000;

/// Multiplies by x.
constexpr Remainder next(Remainder a) {
  constexpr Remainder polynomial = 0xedb88320;
  return a >> 1 ^ ((a & 1) != 0 ? polynomial : 0);
}

constexpr Remainder product(Remainder a, Remainder b) {
  Remainder sum = 0;
  for (; a != 0; a <<= 1, b = next(b)) sum ^= b & -(a >> 31);
  return sum;
}

constexpr Remainder power(Remainder base, std::uint64_t exponent) {
  Remainder out = identity;
  for (; exponent != 0; exponent >>= 1, base = product(base, base))
    if ((exponent & 1) != 0) out = product(out, base);
  return out;
}

/// x^(8 digit 16^place): what a hexadecimal digit of a count of zero bytes multiplies by.
constexpr auto shifts = [] {
  std::array<std::array<Remainder, 16>, 16> out{};
  Remainder base = identity >> 8;
  for (auto& place : out) {
    place[0] = identity;
    for (std::size_t digit = 1; digit < 16; ++digit) place[digit] = product(place[digit - 1], base);
    base = product(place[15], base);
  }
  return out;
}();

/// 1 / (1 + x^(8 width)), for widths of 1, 2, 4 and 8 bytes. The polynomial of CRC-32 is primitive:
/// every remainder but 0 has an inverse, its power of 2^32 - 2.
constexpr auto inverses = [] {
  std::array<Remainder, 4> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = power(identity ^ power(identity >> 8, std::uint64_t{1} << i), 0xfffffffe);
  return out;
}();

Remainder after_zeros(Remainder a, std::uint64_t bytes) {
  for (std::size_t place = 0; bytes != 0; ++place, bytes >>= 4)
    if ((bytes & 15) != 0) a = product(shifts[place][bytes & 15], a);
  return a;
}

/// The remainder that the pattern does not change.
Remainder fixed_point(std::span<const std::byte> pattern) {
  const Remainder alone = ~libdeflate_crc32(~Remainder{0}, pattern.data(), pattern.size());
  return product(alone, inverses[static_cast<std::size_t>(std::countr_zero(pattern.size()))]);
}

}  // namespace

void RunCrc32::add(std::span<const std::byte> bytes) {
  crc_ = crc32(bytes, crc_);
}

void RunCrc32::add_repeated(std::span<const std::byte> pattern, std::uint64_t times) {
  const Remainder fixed = fixed_point(pattern);
  crc_ = ~(after_zeros(~crc_ ^ fixed, pattern.size() * times) ^ fixed);
}

void RunAdler32::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  adler_ = libdeflate_adler32(adler_, bytes.data(), bytes.size());
}

void RunAdler32::add_repeated(std::span<const std::byte> pattern, std::uint64_t times) {
  // Over one pattern the first sum grows by `sum`, the second by width * first sum + `weighted`.
  constexpr std::uint64_t modulus = 65521;
  std::uint64_t sum = 0, weighted = 0;
  for (const std::byte b : pattern) {
    sum += std::to_integer<std::uint64_t>(b);
    weighted += sum;
  }
  const std::uint64_t width = pattern.size(), n = times % modulus;
  // n (n - 1) / 2, of which one factor is even: halved before the remainder is taken.
  const std::uint64_t pairs =
      (times % 2 == 0 ? times / 2 % modulus * ((times + modulus - 1) % modulus)
                      : (times - 1) / 2 % modulus * n) %
      modulus;
  const std::uint64_t first = adler_ & 0xffff, second = adler_ >> 16;
  const std::uint64_t new_second = (second + width * n % modulus * first +
                                    width * sum % modulus * pairs + n * (weighted % modulus)) %
                                   modulus;
  const std::uint64_t new_first = (first + n * (sum % modulus)) % modulus;
  adler_ = static_cast<std::uint32_t>(new_second << 16 | new_first);
}

}  // namespace assay
