// SPDX-License-Identifier: Apache-2.0
// libdeflate multiplies 16 bytes at once, which is only half as fast as its decompression. Recent
// processors multiply 64 bytes at once. The idea is the same (Gopal et al., Fast CRC Computation
// Using PCLMULQDQ, 2009): a CRC is a remainder, which does not change when a block is multiplied by
// the remainder of x^n and added to the block n bits later. So 256 bytes are added to the next 256,
// again and again, until 64 bytes are left that have the same remainder as all.
#include "assay/base/crc32.hpp"

#include <libdeflate.h>

#include <array>
#include <cstring>

#include "assay/base/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

std::uint32_t crc32_by_libdeflate(std::span<const std::byte> bytes, std::uint32_t before) {
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

#if defined(__x86_64__)
constexpr std::size_t vector = 64, vectors = 4, block_bytes = vector * vectors;

/// The remainders of x^(n + 32) and x^(n - 32). Multiplying the lower and the upper half of 128
/// bits by them moves these by n bits. Bits are in the reverse order, as everywhere in this CRC.
struct MoveBy {
  long long lower, upper;
};
constexpr MoveBy by_2048_bits = {0x11542778a, 0x1322d1430},
                 by_512_bits = {0x154442bd4, 0x1c6e41596};

[[gnu::target("avx512f,vpclmulqdq")]] inline __m512i moved(__m512i x, const MoveBy& by,
                                                           __m512i onto) {
  const __m512i factors = _mm512_set4_epi64(by.upper, by.lower, by.upper, by.lower);
  const __m512i lower = _mm512_clmulepi64_epi128(x, factors, 0x00),
                upper = _mm512_clmulepi64_epi128(x, factors, 0x11);
  return _mm512_xor_si512(onto, _mm512_xor_si512(lower, upper));
}

[[gnu::target("avx512f,vpclmulqdq")]] std::uint32_t crc32_wide(std::span<const std::byte> bytes,
                                                               std::uint32_t before) {
  __m512i sums[vectors];
  std::memcpy(sums, bytes.data(), block_bytes);
  sums[0] = _mm512_xor_si512(sums[0],
                             _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(~before))));
  for (bytes = bytes.subspan(block_bytes); bytes.size() >= block_bytes;
       bytes = bytes.subspan(block_bytes))
    for (std::size_t i = 0; i < vectors; ++i)
      sums[i] = moved(sums[i], by_2048_bits, _mm512_loadu_si512(bytes.data() + vector * i));
  for (std::size_t i = 1; i < vectors; ++i) sums[i] = moved(sums[i - 1], by_512_bits, sums[i]);
  std::array<std::byte, vector> left;
  std::memcpy(left.data(), &sums[vectors - 1], vector);
  return crc32_by_libdeflate(bytes, crc32_by_libdeflate(left, ~std::uint32_t{0}));
}
#endif

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
#if defined(__x86_64__)
  if (bytes.size() >= 2 * block_bytes && has_wide_products()) return crc32_wide(bytes, before);
#endif
  return crc32_by_libdeflate(bytes, before);
}

}  // namespace assay
