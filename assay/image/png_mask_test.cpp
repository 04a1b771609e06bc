// SPDX-License-Identifier: Apache-2.0
#include "assay/image/png_mask.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/image/png.hpp"

namespace assay::png_mask_test {

using test::bytes_of;
using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two pixels: red and green.
std::string red_and_green() {
  return png({.width = 2, .height = 1, .rgb = {255, 0, 0, 0, 255, 0}});
}

const PictureRules two_colors = {
    .colors = {{7, "a", Color{255, 0, 0}}, {9, "b", Color{0, 255, 0}}}};

TEST(PngMask, colours_become_labels) {
  const Image image = decode_image(bytes_of(red_and_green()), "x.png", Volumes::one, two_colors);
  EXPECT_THAT(values(image), ElementsAre(7, 9));
  EXPECT_EQ(image.grid().shape, (Shape{2, 1, 1}));
  EXPECT_FALSE(image.grid().has_axis[2] || image.grid().in_space || image.grid().has_size);
}

TEST(PngMask, colours_without_a_table_name_the_option) {
  EXPECT_THAT(refusal([] { decode_image(bytes_of(red_and_green()), "x.png"); }),
              HasSubstr("x.png: has colours, not labels; say with --colors FILE"));
}

TEST(PngMask, a_colour_that_is_not_in_the_table_is_named_with_its_place) {
  const PictureRules one = {.colors = {two_colors.colors.front()}};
  EXPECT_THAT(refusal([&] { decode_image(bytes_of(red_and_green()), "x.png", Volumes::one, one); }),
              HasSubstr("pixel (1, 0, 0) has the colour (0, 255, 0)"));
}

TEST(PngMask, an_impossible_depth_is_refused_before_memory_is_asked_for) {
  std::string file = red_and_green();
  constexpr std::size_t width = 16, depth = 24;
  file[width] = 0x70;
  for (const char bits : {0, 3, 32}) {
    file[depth] = bits;
    EXPECT_THAT(refusal([&] { decode_image(bytes_of(file), "x.png"); }), HasSubstr("damaged"));
  }
}

TEST(PngMask, every_cut_is_refused) {
  const std::string whole = red_and_green();
  for (std::size_t size = 8; size + 12 < whole.size(); ++size)
    EXPECT_THAT(refusal([&] {
                  decode_image(bytes_of(whole.substr(0, size)), "x.png", Volumes::one, two_colors);
                }),
                HasSubstr("the PNG is damaged or cut short"))
        << size;
}

}  // namespace assay::png_mask_test
