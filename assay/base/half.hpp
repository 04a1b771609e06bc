// SPDX-License-Identifier: Apache-2.0
/// IEEE 754 half precision: storage only, arithmetic is done in float.
#pragma once

#include <bit>
#include <cstdint>

namespace assay {

struct Half {
  std::uint16_t bits = 0;
};

/// One of two words, without a branch: compilers vectorise loops over this, not over `?:`.
constexpr std::uint32_t choice(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0U - std::uint32_t{first};
  return (a & mask) | (b & ~mask);
}

/// Exact.
constexpr float to_float(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = half.bits & 0x7fffU;
  // A float has 112 more in its exponent; multiplying by 2^112 adds it and normalises subnormals.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const std::uint32_t special = magnitude << 13 | 0x7f800000U;  // infinity and NaN
  return std::bit_cast<float>(
      sign | choice(magnitude >= 0x7c00U, special, std::bit_cast<std::uint32_t>(scaled)));
}

/// Rounds to the nearest, ties to even; too large becomes infinity.
constexpr Half to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t odd = magnitude >> 13 & 1U;
  const std::uint32_t normal = (magnitude - 0x38000000U + 0x0fffU + odd) >> 13;
  // Subnormal: adding 0.5 aligns the last bit of a half with the last one of the sum.
  const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(aligned) - 0x3f000000U;
  const std::uint32_t finite = choice(magnitude < 0x38800000U, subnormal, normal);
  const std::uint32_t special = choice(magnitude > 0x7f800000U, 0x7e00U, 0x7c00U);
  const std::uint32_t half = choice(magnitude >= 0x47800000U, special, finite);
  return {static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | half)};
}

}  // namespace assay
