// SPDX-License-Identifier: Apache-2.0
/// IEEE 754 half precision: storage only, arithmetic is done in float.
#pragma once

#include <bit>
#include <cstdint>

namespace assay {

struct Half {
  std::uint16_t bits = 0;
};

/// Exact. Without branches on the value, so that loops over it vectorise.
constexpr float to_float(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = half.bits & 0x7fffU;
  // A float has 112 more in its exponent; multiplying by 2^112 adds it and normalises subnormals.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(scaled);
  const std::uint32_t special = magnitude << 13 | 0x7f800000U;  // infinity and NaN
  return std::bit_cast<float>(sign | (magnitude >= 0x7c00U ? special : finite));
}

/// Rounds to the nearest, ties to even; too large becomes infinity. Every case is computed and one
/// chosen, so that loops over it vectorise.
constexpr Half to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t odd = magnitude >> 13 & 1U;
  std::uint32_t half = (magnitude - 0x38000000U + 0x0fffU + odd) >> 13;
  // Subnormal: adding 0.5 aligns the last bit of a half with the last one of the sum.
  const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
  half = magnitude < 0x38800000U ? std::bit_cast<std::uint32_t>(aligned) - 0x3f000000U : half;
  half = magnitude >= 0x47800000U ? 0x7c00U : half;  // infinity, also of what rounds up to it
  half = magnitude > 0x7f800000U ? 0x7e00U : half;   // NaN
  return {static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | half)};
}

}  // namespace assay
