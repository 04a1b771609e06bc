// SPDX-License-Identifier: Apache-2.0
#include "assay/image/jpeg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace jpeg_test {

using namespace assay;
using testing::HasSubstr;

/// Smooth, as photographs are.
Picture gradient(std::size_t width, std::size_t height) {
  Picture picture = Picture::filled(width, height);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      picture.at(x, y)[0] = static_cast<std::uint8_t>(x * 255 / width);
      picture.at(x, y)[1] = static_cast<std::uint8_t>(y * 255 / height);
      picture.at(x, y)[2] = 120;
    }
  return picture;
}

std::string refusal(std::string_view bytes) {
  return test::refusal([&] { parse_jpeg(bytes, "x.jpg"); });
}

TEST(Jpeg, shows_the_picture_again) {
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{200, 100}, {33, 57}}) {
    const Picture picture = gradient(width, height);
    const Picture back = parse_jpeg(jpeg_bytes(picture, 95), "x.jpg");
    ASSERT_EQ(back.width, width);
    ASSERT_EQ(back.height, height);
    int worst = 0;
    for (std::size_t i = 0; i < back.rgb.size(); ++i)
      worst = std::max(worst, std::abs(int{back.rgb[i]} - int{picture.rgb[i]}));
    EXPECT_LE(worst, 12);
  }
  EXPECT_EQ(parse_jpeg(jpeg_bytes(Picture::filled(1, 1)), "x.jpg"), Picture::filled(1, 1));
}

TEST(Jpeg, same_picture_same_bytes_and_quality_counts) {
  const Picture picture = gradient(128, 128);
  EXPECT_EQ(jpeg_bytes(picture), jpeg_bytes(picture));
  EXPECT_GT(jpeg_bytes(picture, 95).size(), jpeg_bytes(picture, 30).size());
}

TEST(Jpeg, refuses_what_is_no_whole_jpeg) {
  EXPECT_THAT(refusal(""), HasSubstr("x.jpg: is not a readable JPEG"));
  EXPECT_THAT(refusal("plain text, nothing else"), HasSubstr("x.jpg: is not a readable JPEG"));
  const std::string whole = jpeg_bytes(gradient(300, 300));
  for (const std::size_t size : {whole.size() / 2, whole.size() - 2, whole.size() - 40})
    EXPECT_THAT(refusal(std::string_view(whole).substr(0, size)), HasSubstr("x.jpg")) << size;
}

TEST(Jpeg, any_damage_is_refused_or_read_but_never_fatal) {
  const std::string whole = jpeg_bytes(gradient(64, 64));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    if (refusal(damaged).empty()) {
      const Picture read = parse_jpeg(damaged, "x.jpg");
      EXPECT_EQ(read.rgb.size(), read.width * read.height * 3);
    }
  }
}

TEST(Jpeg, a_header_cannot_make_us_take_all_memory) {
  std::string bytes = jpeg_bytes(gradient(64, 64));
  const std::size_t frame = bytes.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  for (const std::size_t at : {5U, 6U, 7U, 8U}) bytes[frame + at] = '\x7F';
  EXPECT_THAT(refusal(bytes), HasSubstr("more than 400 million pixels"));
}

TEST(Jpeg, a_few_bytes_cannot_keep_us_busy) {
  std::string arithmetic = jpeg_bytes(gradient(64, 64));
  const std::size_t frame = arithmetic.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  arithmetic[frame + 1] = '\xC9';
  EXPECT_THAT(refusal(arithmetic), HasSubstr("arithmetic coding; write it again with Huffman"));
  const std::filesystem::path corpus = ASSAY_SOURCE_DIR "/tests/fuzz/corpus/fuzz_jpeg";
  EXPECT_EQ(refusal(read_text(corpus / "progressive")), "");
  EXPECT_THAT(refusal(read_text(corpus / "scans")), HasSubstr("more than 100 scans; write it"));
}

TEST(Jpeg, refuses_an_empty_picture) {
  EXPECT_THROW(jpeg_bytes({}), Error);
  EXPECT_THROW(jpeg_bytes(Picture::filled(70'000, 1)), Error);
}

}  // namespace jpeg_test
