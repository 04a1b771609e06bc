// SPDX-License-Identifier: Apache-2.0
#include "assay/image/png.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "assay/base/gzip.hpp"

namespace png_test {

using namespace assay;

std::uint32_t number_at(const std::string& file, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8U | static_cast<unsigned char>(file[at + i]);
  return number;
}

struct Chunk {
  std::string type, data;
  bool is_whole = false;
};

std::vector<Chunk> chunks_of(const std::string& file) {
  std::vector<Chunk> out;
  for (std::size_t at = 8; at < file.size();) {
    const std::size_t size = number_at(file, at);
    const auto* start = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    const bool whole =
        crc32(0, start, static_cast<uInt>(size + 4)) == number_at(file, at + 8 + size);
    out.push_back({file.substr(at + 4, 4), file.substr(at + 8, size), whole});
    at += size + 12;
  }
  return out;
}

TEST(Png, holds_the_pixels_and_nothing_else) {
  const Picture picture = {2, 1, {255, 0, 1, 2, 3, 4}};
  const std::string file = png(picture);
  ASSERT_TRUE(file.starts_with("\x89PNG\r\n\x1A\n"));
  const auto chunks = chunks_of(file);
  ASSERT_EQ(chunks.size(), 3U);
  for (const Chunk& chunk : chunks) EXPECT_TRUE(chunk.is_whole) << chunk.type;
  EXPECT_EQ(chunks[0].type, "IHDR");
  EXPECT_EQ(chunks[0].data, std::string("\0\0\0\2\0\0\0\1\x08\x02\0\0\0", 13));
  std::vector<std::byte> rows(7);
  inflate_zlib(std::as_bytes(std::span(chunks[1].data)), rows);
  const std::vector<std::byte> expected = {std::byte{0}, std::byte{255}, std::byte{0}, std::byte{1},
                                           std::byte{2}, std::byte{3},   std::byte{4}};
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(chunks[2].type, "IEND");
}

}  // namespace png_test
