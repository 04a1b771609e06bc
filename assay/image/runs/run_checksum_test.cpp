// SPDX-License-Identifier: Apache-2.0
#include "assay/image/runs/run_checksum.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <vector>

namespace assay::run_checksum_test {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t count, std::mt19937_64& random) {
  Bytes out(count);
  for (std::byte& b : out) b = static_cast<std::byte>(random() % 3 == 0 ? random() : 0);
  return out;
}

TEST(RunChecksum, equals_zlib_on_bytes_and_repeated_patterns) {
  std::mt19937_64 random(19);
  for (int trial = 0; trial < 400; ++trial) {
    Bytes all;
    RunCrc32 crc;
    RunAdler32 adler;
    for (int part = 0; part < 4; ++part) {
      const Bytes some = random_bytes(random() % 20, random);
      const Bytes pattern = random_bytes(std::size_t{1} << random() % 4, random);
      const std::uint64_t times = random() % (trial % 10 == 0 ? 100000 : 300);
      crc.add(some);
      adler.add(some);
      crc.add_repeated(pattern, times);
      adler.add_repeated(pattern, times);
      all.insert(all.end(), some.begin(), some.end());
      for (std::uint64_t i = 0; i < times; ++i)
        all.insert(all.end(), pattern.begin(), pattern.end());
    }
    const auto* data = reinterpret_cast<const Bytef*>(all.data());
    ASSERT_EQ(crc.value(), ::crc32_z(0, data, all.size())) << trial;
    ASSERT_EQ(adler.value(), ::adler32_z(1, data, all.size())) << trial;
  }
}

TEST(RunChecksum, a_large_count_equals_many_small_ones) {
  const Bytes pattern = {std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0x3f}};
  RunCrc32 crc_once, crc_often;
  RunAdler32 adler_once, adler_often;
  crc_once.add_repeated(pattern, std::uint64_t{1000} << 32);
  adler_once.add_repeated(pattern, std::uint64_t{1000} << 32);
  for (int i = 0; i < 1000; ++i) {
    crc_often.add_repeated(pattern, std::uint64_t{1} << 32);
    adler_often.add_repeated(pattern, std::uint64_t{1} << 32);
  }
  EXPECT_EQ(crc_once.value(), crc_often.value());
  EXPECT_EQ(adler_once.value(), adler_often.value());
}

}  // namespace assay::run_checksum_test
