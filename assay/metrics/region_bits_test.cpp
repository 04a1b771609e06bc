// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/region_bits.hpp"

#include <gtest/gtest.h>

#include <random>

namespace region_bits_test {

using namespace assay;
using namespace assay::metrics;

/// One voxel at a time: the slow oracle.
template <class Code>
std::vector<std::uint64_t> packed_slowly(const std::vector<Code>& codes,
                                         const std::vector<Label>& values, const Region& region) {
  std::vector<std::uint64_t> bits(packed_words(codes.size()));
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (region.contains(values[codes[i]])) bits[i / 64] |= std::uint64_t{1} << (i % 64);
  return bits;
}

template <class Code>
void expect_oracle(std::uint64_t seed, std::size_t labels) {
  std::mt19937_64 rng(seed);
  for (std::size_t n = 1; n < 300; ++n) {
    std::vector<Label> values(labels);
    for (std::size_t code = 0; code < labels; ++code) values[code] = static_cast<Label>(3 * code);
    std::vector<Code> codes(n);
    for (Code& code : codes) code = static_cast<Code>(rng() % labels);
    Region region = {"r", "r", {}};
    for (std::size_t k = rng() % 9; k > 0; --k) region.members.push_back(values[rng() % labels]);
    region.members = distinct(region.members);
    std::vector<std::uint64_t> bits(packed_words(n), ~std::uint64_t{0});
    pack_region({.grid = {}, .codes = std::span<const Code>(codes), .values = values}, region,
                bits);
    EXPECT_EQ(bits, packed_slowly(codes, values, region)) << n << " voxels";
  }
}

TEST(PackRegion, equals_the_oracle_for_every_length_and_any_region) {
  expect_oracle<std::uint8_t>(1, 5);
  expect_oracle<std::uint8_t>(2, 256);
  expect_oracle<std::uint16_t>(3, 700);
}

TEST(PackRegion, ignored_voxels_leave_the_mask) {
  std::vector<std::uint64_t> bits = {0b1101, 1};
  clear_bits(bits, std::vector<std::uint64_t>{0b0101, 0});
  EXPECT_EQ(bits, (std::vector<std::uint64_t>{0b1000, 1}));
}

}  // namespace region_bits_test
