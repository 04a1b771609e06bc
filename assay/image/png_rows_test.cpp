// SPDX-License-Identifier: Apache-2.0
#include "assay/image/png_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assay/base/crc32.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::png_rows_test {

using test::bytes_of;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::string big_endian_text(std::uint32_t number) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xFF);
  return out;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian_text(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian_text(crc32(bytes_of(type + data)));
}

/// A grey picture of three columns whose rows are stored as they are given here, filter first.
std::string picture(const std::string& rows, char depth = 8, char color = 0, char interlace = 0) {
  const std::vector<std::byte> packed = deflate_zlib(bytes_of(rows));
  const std::string data(reinterpret_cast<const char*>(packed.data()), packed.size());
  return "\x89PNG\r\n\x1A\n" +
         chunk("IHDR", big_endian_text(3) +
                           big_endian_text(static_cast<std::uint32_t>(rows.size() / 4)) + depth +
                           color + std::string(2, '\0') + interlace) +
         chunk("IDAT", data.substr(0, 5)) + chunk("IDAT", data.substr(5)) + chunk("IEND", "");
}

std::vector<int> unpacked_rows(const std::string& file, std::size_t rows) {
  std::vector<std::byte> into(3 * rows);
  if (!unpack_png_rows(bytes_of(file), 3, into)) return {};
  std::vector<int> out;
  for (const std::byte value : into) out.push_back(std::to_integer<int>(value));
  return out;
}

/// Five rows, one for each filter.
const std::string five("\0\1\2\3\1\5\1\1\2\1\1\1\3\4\4\4\4\1\1\1", 20);

TEST(PngRows, every_filter_adds_what_it_left_out) {
  EXPECT_THAT(unpacked_rows(picture(five), 5), ElementsAre(1, 2, 3,      // as they are
                                                           5, 6, 7,      // left
                                                           6, 7, 8,      // above
                                                           7, 11, 13,    // the mean of both
                                                           8, 12, 14));  // the nearest
}

TEST(PngRows, libpng_reads_the_same) {
  std::string random = five;
  for (std::size_t row = 0; row < 60; ++row)
    for (std::size_t i = 0; i < 4; ++i)
      random += static_cast<char>(i == 0 ? row * 7 % 5 : (row * 97 + i * 131) % 256);
  const std::string file = picture(random);
  // libpng ignores a comment with a wrong checksum, and other files with one are left to it.
  std::string strange = file;
  constexpr std::size_t after_header = 8 + 25;
  strange.insert(after_header, chunk("tEXt", "comment").replace(8, 1, "C"));
  EXPECT_TRUE(unpacked_rows(strange, 65).empty());
  const std::vector<double> by_libpng = values(decode_image(bytes_of(strange), "x.png"));
  EXPECT_THAT(values(decode_image(bytes_of(file), "x.png")), ElementsAreArray(by_libpng));
  EXPECT_THAT(unpacked_rows(file, 65), ElementsAreArray(by_libpng));
}

TEST(PngRows, other_kinds_are_left_to_libpng) {
  EXPECT_TRUE(unpacked_rows(picture(five, 16), 5).empty());
  EXPECT_TRUE(unpacked_rows(picture(five, 8, 2), 5).empty());
  EXPECT_TRUE(unpacked_rows(picture(five, 8, 3), 5).empty());  // without its palette
  EXPECT_TRUE(unpacked_rows(picture(five, 8, 0, 1), 5).empty());
}

TEST(PngRows, damaged_files_are_left_to_libpng) {
  const std::string whole = picture(five);
  for (std::size_t size = 8; size < whole.size(); ++size)
    EXPECT_TRUE(unpacked_rows(whole.substr(0, size), 5).empty()) << size;
  for (std::size_t at = 16; at < whole.size() - 12; ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_TRUE(unpacked_rows(changed, 5).empty()) << at;
  }
  EXPECT_TRUE(unpacked_rows(picture(five), 6).empty());
  EXPECT_TRUE(unpacked_rows(picture(std::string("\5\1\1\1", 4)), 1).empty());
}

}  // namespace assay::png_rows_test
