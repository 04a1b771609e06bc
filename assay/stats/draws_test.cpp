// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/draws.hpp"

#include <gtest/gtest.h>

#include "assay/stats/resampler.hpp"

namespace draws_test {

using namespace assay;
using namespace assay::stats;

Pcg64 seeded(std::uint64_t seed) {
  return Pcg64(SeedSequence(seed_words(seed)));
}

struct Drawn {
  std::vector<std::uint32_t> indices;
  std::size_t rejected = 0;
};

/// Lemire's method as in the paper, one half at a time.
Drawn slowly(Pcg64& bits, std::uint32_t bound, std::size_t size) {
  Drawn drawn;
  while (drawn.indices.size() < size) {
    if (bound <= 1) {
      drawn.indices.push_back(0);
      continue;
    }
    const std::uint64_t product = std::uint64_t{bits.next32()} * bound;
    if (static_cast<std::uint32_t>(product) < (std::uint64_t{1} << 32) % bound)
      ++drawn.rejected;
    else
      drawn.indices.push_back(static_cast<std::uint32_t>(product >> 32));
  }
  return drawn;
}

/// Every form of the kernel is the same stream and adds what it draws to the sink, once.
template <class Pairs>
void expect_same_stream(std::uint32_t bound) {
  std::vector<std::uint32_t> codes(1000);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint32_t>(i % 7);
  const bool countable = bound <= codes.size();
  Pcg64 single = seeded(3), block = seeded(3), counted = seeded(3);
  for (const std::size_t size : {101U, 1U, 0U, 64U, 3U, 934U, 5000U, 9U}) {
    SCOPED_TRACE(testing::Message() << "bound " << bound << ", size " << size);
    const Drawn want = slowly(single, bound, size);
    std::vector<std::uint32_t> found(size);
    EXPECT_EQ((draw_below<Pairs>(block, bound, std::span(found), NoSink{})), want.rejected);
    EXPECT_EQ(found, want.indices);
    EXPECT_TRUE(block.state() == single.state());
    EXPECT_EQ(block.buffered(), single.buffered());
    if (!countable) continue;
    CodeTally tally(codes, 7);
    draw_below<Pairs>(counted, bound, std::span(found), tally.sink());
    EXPECT_EQ(found, want.indices);
    std::vector<std::uint32_t> counts(7);
    for (const std::uint32_t index : want.indices) ++counts[index % 7];
    const auto taken = tally.take();
    EXPECT_EQ(std::vector<std::uint32_t>(taken.begin(), taken.end()), counts);
  }
}

// Above 2^31 up to every other draw is rejected: all ways through the blocks are taken.
constexpr std::uint32_t bounds[] = {1, 2, 3, 934, 1000, 65537, 0x80000001, 0xC0000000, 0xFFFFFFFF};

TEST(Draws, portable_kernel_is_the_same_stream) {
  for (const std::uint32_t bound : bounds) expect_same_stream<PortablePairs>(bound);
}

TEST(Draws, avx2_kernel_is_the_same_stream) {
  if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  for (const std::uint32_t bound : bounds) expect_same_stream<Avx2Pairs>(bound);
}

TEST(Draws, a_block_with_a_rejection_leaves_no_trace_in_the_tally) {
  // 2^32 mod 999 = 562: one draw in 7.6 million is rejected. Seeds with one are looked for.
  std::vector<std::uint32_t> codes(999), found(200'000);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint32_t>(i % 5);
  std::size_t rejected = 0;
  for (std::uint64_t seed = 0; seed < 400 && rejected == 0; ++seed) {
    Pcg64 bits = seeded(seed);
    CodeTally tally(codes, 5);
    rejected = draw_below(bits, 999, std::span(found), tally.sink());
    if (rejected == 0) continue;
    std::vector<std::uint32_t> counts(5);
    for (const std::uint32_t index : found) ++counts[index % 5];
    const auto taken = tally.take();
    EXPECT_EQ(std::vector<std::uint32_t>(taken.begin(), taken.end()), counts) << seed;
  }
  EXPECT_GT(rejected, 0U);
}

}  // namespace draws_test
