// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/guides.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace guides_test {

using namespace assay;
using namespace assay::qa;

bool is(const std::uint8_t* pixel, int red, int green, int blue) {
  return pixel[0] == red && pixel[1] == green && pixel[2] == blue;
}

/// The columns where a line runs from top to bottom, looked for in the lowest row.
std::vector<std::size_t> lines_at_the_bottom(const Picture& picture) {
  std::vector<std::size_t> out;
  for (std::size_t x = 1; x < picture.width; ++x)
    if (is(picture.at(x, picture.height - 1), 255, 0, 0) &&
        !is(picture.at(x - 1, picture.height - 1), 255, 0, 0))
      out.push_back(x);
  return out;
}

/// The black dots in a part of the picture, as rows of text.
std::vector<std::string> dots(const Picture& picture, std::size_t left, std::size_t top,
                              std::size_t dot, std::size_t columns) {
  std::vector<std::string> out;
  for (std::size_t row = 0; row < 7; ++row) {
    std::string line;
    for (std::size_t column = 0; column < columns; ++column)
      line += is(picture.at(left + column * dot, top + row * dot), 0, 0, 0) ? '#' : '.';
    out.push_back(line);
  }
  return out;
}

TEST(Guides, four_lines_along_each_axis_where_the_original_has_them) {
  const Picture drawn =
      with_guides(Picture::filled(1024, 768, 200), {.width = 100'000, .height = 75'000});
  EXPECT_EQ(lines_at_the_bottom(drawn), (std::vector<std::size_t>{204, 409, 614, 819}));
  std::size_t rows = 0;
  for (std::size_t y = 1; y < drawn.height; ++y)
    rows += is(drawn.at(1023, y), 255, 0, 0) && !is(drawn.at(1023, y - 1), 255, 0, 0);
  EXPECT_EQ(rows, 4U);
}

/// int(int(1024/5*1) * 100000 / 1024) = 19921: its digits stand right of the first line.
TEST(Guides, labels_are_level_0_pixels_of_the_slide) {
  const Picture drawn =
      with_guides(Picture::filled(1024, 768, 200), {.width = 100'000, .height = 75'000});
  const std::vector<std::string> expected = {
      "..#....###...###...###....#..", ".##...#...#.#...#.#...#..##..",
      "..#...#...#.#...#.....#...#..", "..#....####..####....#....#..",
      "..#.......#.....#...#.....#..", "..#......#.....#...#......#..",
      ".###...##....##...#####..###.",
  };
  EXPECT_EQ(dots(drawn, 204 + 2 + 3, 3, 3, 29), expected);
}

TEST(Guides, labels_of_a_crop_count_from_its_origin) {
  // int(1000/5) = 200 of 1000 pixels: 7000 + 400.
  const Picture drawn = with_guides(Picture::filled(1000, 1000), {7000, 0, 2000, 2000});
  const std::vector<std::string> seven = {"#####", "....#", "...#.", "..#..",
                                          ".#...", ".#...", ".#..."};
  EXPECT_EQ(dots(drawn, 200 + 1 + 3, 3, 3, 5), seven);
}

TEST(Guides, a_plate_lies_behind_digits_and_the_rest_is_untouched) {
  const Picture drawn = with_guides(Picture::filled(1024, 768, 9), {.width = 9000, .height = 9000});
  EXPECT_TRUE(is(drawn.at(206, 0), 255, 255, 255));
  EXPECT_TRUE(is(drawn.at(100, 100), 9, 9, 9));
}

TEST(Guides, any_picture_can_take_them) {
  for (std::size_t width = 1; width < 40; width += 3)
    for (std::size_t height = 1; height < 40; height += 3) {
      const Picture drawn =
          with_guides(Picture::filled(width, height), {.width = 100'000, .height = 10});
      EXPECT_EQ(drawn.rgb.size(), width * height * 3);
    }
  EXPECT_EQ(with_guides({}, {}), Picture{});
}

}  // namespace guides_test
