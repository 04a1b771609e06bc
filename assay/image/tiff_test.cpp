// SPDX-License-Identifier: Apache-2.0
#include "assay/image/tiff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace assay::tiff_test {

using test::append;
using test::FileBytes;
using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Entry {
  std::uint16_t tag, type;
  std::uint32_t value;
};

constexpr std::uint16_t two_bytes = 3, four_bytes = 4;
constexpr std::uint32_t pixels_at = 8;

/// Pixels, then one directory with short values.
FileBytes tiff_file(const std::string& pixels, std::vector<Entry> entries, bool big_endian) {
  FileBytes out = test::bytes_of(big_endian ? std::string("MM\0*", 4) : std::string("II*\0", 4));
  append(out, static_cast<std::uint32_t>(pixels_at + pixels.size()), big_endian);
  for (const char each : pixels) out.push_back(static_cast<std::byte>(each));
  append(out, static_cast<std::uint16_t>(entries.size()), big_endian);
  for (const Entry& entry : entries) {
    append(out, entry.tag, big_endian);
    append(out, entry.type, big_endian);
    append(out, std::uint32_t{1}, big_endian);
    if (entry.type == two_bytes) {
      append(out, static_cast<std::uint16_t>(entry.value), big_endian);
      append(out, std::uint16_t{0}, big_endian);
    } else {
      append(out, entry.value, big_endian);
    }
  }
  append(out, std::uint32_t{0}, big_endian);
  return out;
}

/// A page of `width` x 2, one strip without compression.
std::vector<Entry> page(std::uint32_t width, std::uint32_t bits, std::uint32_t bytes) {
  return {{256, four_bytes, width}, {257, four_bytes, 2}, {258, two_bytes, bits},
          {259, two_bytes, 1},      {262, two_bytes, 1},  {273, four_bytes, pixels_at},
          {277, two_bytes, 1},      {278, four_bytes, 2}, {279, four_bytes, bytes}};
}

Image decoded(const FileBytes& file) {
  return decode_image(file, "x.tif");
}

TEST(Tiff, numbers_of_either_byte_order) {
  EXPECT_THAT(values(decoded(tiff_file("abcd", page(2, 8, 4), false))),
              ElementsAre('a', 'b', 'c', 'd'));
  for (const bool big_endian : {false, true}) {
    const std::string one = big_endian ? std::string("\0\1", 2) : std::string("\1\0", 2);
    EXPECT_THAT(values(decoded(tiff_file(one + one + one + one, page(2, 16, 8), big_endian))),
                ElementsAre(1, 1, 1, 1));
  }
}

TEST(Tiff, rows_of_bits_begin_with_a_byte) {
  EXPECT_THAT(values(decoded(tiff_file("\xA0\x40", page(3, 1, 2), false))),
              ElementsAre(1, 0, 1, 0, 1, 0));
}

TEST(Tiff, white_is_foreground_also_where_it_is_0) {
  std::vector<Entry> entries = page(3, 1, 2);
  entries[4].value = 0;
  EXPECT_THAT(values(decoded(tiff_file("\xA0\x40", entries, false))),
              ElementsAre(0, 1, 0, 1, 0, 1));
  entries = page(2, 8, 4);
  entries[4].value = 0;
  EXPECT_THAT(refusal([&] { decoded(tiff_file("abcd", entries, false)); }),
              HasSubstr("0 is white"));
}

TEST(Tiff, every_cut_and_every_impossible_size_is_refused) {
  const FileBytes whole = tiff_file("abcd", page(2, 8, 4), false);
  for (std::size_t size = 4; size + 4 < whole.size(); ++size)
    EXPECT_THAT(refusal([&] {
                  decoded({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
                }),
                HasSubstr("x.tif: the TIFF is damaged or cut short"))
        << size;
  EXPECT_THAT(refusal([&] { decoded(tiff_file("abcd", page(1'000'000, 8, 4), false)); }),
              HasSubstr("the header is wrong or the file is cut short"));
}

TEST(Tiff, what_changes_values_is_refused_by_name) {
  std::vector<Entry> entries = page(2, 8, 4);
  entries[3].value = 7;
  EXPECT_THAT(refusal([&] { decoded(tiff_file("abcd", entries, false)); }),
              HasSubstr("is compressed with JPEG, which changes the values of pixels"));
}

}  // namespace assay::tiff_test
