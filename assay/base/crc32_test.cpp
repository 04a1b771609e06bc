// SPDX-License-Identifier: Apache-2.0
#include "assay/base/crc32.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <vector>

namespace assay::crc32_test {

std::uint32_t zlib_says(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

TEST(Crc32, equals_zlib_for_every_length_and_place) {
  std::mt19937_64 random(1);
  std::vector<std::byte> bytes(100000);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  for (std::size_t size = 0; size < 3000; ++size) {
    const auto some = std::span(bytes).subspan(random() % 1000, size);
    const auto before = static_cast<std::uint32_t>(random());
    ASSERT_EQ(crc32(some, before), zlib_says(some, before)) << size;
  }
  EXPECT_EQ(crc32(bytes), zlib_says(bytes, 0));
}

TEST(Crc32, goes_on_where_it_stopped) {
  std::mt19937_64 random(2);
  std::vector<std::byte> bytes(5000, std::byte{0});
  bytes[4321] = std::byte{1};
  for (int trial = 0; trial < 200; ++trial) {
    const std::span all(bytes);
    const std::size_t cut = random() % all.size();
    EXPECT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), crc32(all));
  }
}

}  // namespace assay::crc32_test
