// SPDX-License-Identifier: Apache-2.0
/// One step for 64-bit ARM, which always has NEON: the results of comparisons as the bits of a
/// word. x86-64 has an instruction for this (movemask); compilers do not derive the step from
/// portable code.
#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>

#include <cstdint>
#endif

namespace assay::metrics {

#if defined(__aarch64__)
constexpr bool has_neon = true;

/// Bit i is set if byte i is 255; bytes are 255 or 0. Each byte keeps the bit of its place among
/// eight, and three sums of neighbours gather the eight bytes of each word.
inline std::uint64_t word_of(const uint8x16x4_t& bytes) {
  const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  const uint8x16_t low = vpaddq_u8(vandq_u8(bytes.val[0], places), vandq_u8(bytes.val[1], places));
  const uint8x16_t high = vpaddq_u8(vandq_u8(bytes.val[2], places), vandq_u8(bytes.val[3], places));
  const uint8x16_t pairs = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
}
#else
constexpr bool has_neon = false;
#endif

}  // namespace assay::metrics
