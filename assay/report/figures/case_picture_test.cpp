// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/report/case_volume.hpp"

namespace case_picture_test {

using namespace assay;
using namespace assay::report;

/// 4 x 3 x 2 voxels; reference at x 1 and 2, prediction at x 2 and 3, both at y 1 and z 1.
CaseVolume example() {
  CaseVolume volume = {.shape = {4, 3, 2}};
  volume.image.assign(volume.size(), 100);
  volume.reference.assign(volume.size(), 0);
  volume.predictions = {{0, volume.reference}};
  const auto at = [](std::size_t x) { return x + 4 * (1 + 3 * 1); };
  volume.reference[at(1)] = volume.reference[at(2)] = 1;
  volume.predictions[0].voxels[at(2)] = volume.predictions[0].voxels[at(3)] = 1;
  return volume;
}

TEST(CasePicture, looks_where_the_most_is_drawn) {
  EXPECT_EQ(focus_of(example()), (Shape{1, 1, 1}));
}

TEST(CasePicture, of_an_empty_case_looks_at_the_middle) {
  CaseVolume volume = example();
  volume.reference.assign(volume.size(), 0);
  volume.predictions[0].voxels.assign(volume.size(), 0);
  EXPECT_EQ(focus_of(volume), (Shape{2, 1, 1}));
}

TEST(CasePicture, colours_agreement) {
  const CaseVolume volume = example();
  const Picture picture = case_picture(volume, 0);
  // The tallest plane has 220 pixels for 3 mm: a voxel is 73 pixels wide, the axial plane 293.
  const auto pixel = [&](std::size_t x, std::size_t y) {
    const std::uint8_t* rgb = picture.at(x * 73 + 36, (2 - y) * 73 + 36);
    return std::array<int, 3>{rgb[0], rgb[1], rgb[2]};
  };
  const auto blended = [](const std::uint8_t(&colour)[3]) {
    std::array<int, 3> out{};
    for (std::size_t c = 0; c < 3; ++c)
      out[c] = static_cast<int>(std::lround(0.38 * 100 + 0.62 * colour[c]));
    return out;
  };
  constexpr AgreementColours colours;
  EXPECT_EQ(pixel(0, 1), (std::array<int, 3>{100, 100, 100}));
  EXPECT_EQ(pixel(1, 1), blended(colours.only_reference));
  EXPECT_EQ(pixel(2, 1), blended(colours.both));
  EXPECT_EQ(pixel(3, 1), blended(colours.only_prediction));
  EXPECT_EQ(pixel(2, 2), (std::array<int, 3>{100, 100, 100}));
}

TEST(CasePicture, outlines_are_seen_on_bright_tissue) {
  CaseVolume volume = example();
  std::ranges::fill(volume.image, std::uint8_t{255});
  const Picture picture = case_picture(volume, 0);
  bool is_dark = false, is_white = false;
  for (std::size_t x = 60; x < 90; ++x) {  // across the left border of the reference, at 73
    const std::uint8_t* rgb = picture.at(x, 73 + 36);
    is_dark = is_dark || rgb[0] + rgb[1] + rgb[2] < 330;
    is_white = is_white || rgb[0] + rgb[1] + rgb[2] > 740;
  }
  EXPECT_TRUE(is_dark);
  EXPECT_TRUE(is_white);
}

TEST(CasePicture, of_one_voxel_has_three_planes) {
  const CaseVolume volume = {.shape = {1, 1, 1}, .reference = {1}, .predictions = {{0, {1}}}};
  const Picture picture = case_picture(volume, 0);
  EXPECT_EQ(picture.height, 220U);
  EXPECT_EQ(picture.width, 3 * 220U + 2 * 8U);
}

TEST(CasePicture, shows_a_wrong_label_in_a_colour_of_its_own) {
  CaseVolume volume = example();
  for (std::uint8_t& code : volume.predictions[0].voxels) code = code == 0 ? 0 : 2;
  const Picture picture = case_picture(volume, 0);
  constexpr AgreementColours colours;
  const std::uint8_t* rgb = picture.at(2 * 73 + 36, 73 + 36);
  EXPECT_EQ(rgb[0], std::lround(0.38 * 100 + 0.62 * colours.wrong_label[0]));
  EXPECT_EQ(rgb[2], std::lround(0.38 * 100 + 0.62 * colours.wrong_label[2]));
}

TEST(CasePicture, of_errors_shows_the_slice_with_most_of_them) {
  CaseVolume volume = example();
  volume.image.assign(12, 10);
  volume.image.resize(24, 200);  // the second slice, which has the errors, is bright
  const Picture picture = error_picture(volume, 0);
  EXPECT_EQ(picture.at(0, 0)[0], 200);
}

}  // namespace case_picture_test
