// SPDX-License-Identifier: Apache-2.0
#include "assay/slide/crop_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace crop_rules_test {

using namespace assay;
using namespace assay::slide;
using testing::HasSubstr;

SlideInfo slide_of(std::int64_t width, std::int64_t height,
                   const std::vector<double>& downsamples) {
  SlideInfo info = {.width = width, .height = height};
  for (const double d : downsamples)
    info.levels.push_back({.width = static_cast<std::int64_t>(static_cast<double>(width) / d),
                           .height = static_cast<std::int64_t>(static_cast<double>(height) / d),
                           .downsample = d});
  return info;
}

TEST(Crop, inside_is_fine_and_nothing_is_clamped) {
  const SlideInfo s = slide_of(100'000, 80'000, {1});
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(crop_problem({0, 0, 100'000, 80'000}, s));
  EXPECT_FALSE(crop_problem({99'999, 79'999, 1, 1}, s));
  for (const SlideRegion outside :
       {SlideRegion{99'000, 0, 2000, 1000}, SlideRegion{0, 79'000, 1000, 2000},
        SlideRegion{-1, 0, 10, 10}, SlideRegion{0, -1, 10, 10}, SlideRegion{100'000, 0, 1, 1},
        SlideRegion{1, 1, huge, huge}})
    EXPECT_THAT(crop_problem(outside, s).value_or(""), HasSubstr("100000 x 80000")) << outside.x;
  for (const SlideRegion empty : {SlideRegion{0, 0, 0, 5}, SlideRegion{0, 0, 5, -5}})
    EXPECT_THAT(crop_problem(empty, s).value_or(""), HasSubstr("is empty"));
}

TEST(Crop, level_is_the_closest_that_has_enough_pixels) {
  const SlideInfo s = slide_of(200'000, 200'000, {1, 4, 16});
  EXPECT_EQ(level_for({0, 0, 10'000, 8000}, s, 1000), 1U);
  EXPECT_EQ(level_for({0, 0, 4706, 3000}, s, 1000), 1U);
  EXPECT_EQ(level_for({0, 0, 100'000, 80'000}, s, 1000), 2U);
  EXPECT_EQ(level_for({0, 0, 8000, 100'000}, s, 1000), 2U);  // the longer side counts
  EXPECT_EQ(level_for({0, 0, 5000, 4000}, slide_of(9000, 9000, {1}), 1000), 0U);
  EXPECT_EQ(level_for({0, 0, 500, 400}, s, 1000), 0U);  // nothing is enlarged, so the finest
}

/// Whatever the region, the level has enough pixels if any level has, and the next coarser one is
/// either too coarse or further from the aim.
TEST(Crop, level_is_never_too_coarse) {
  const SlideInfo s = slide_of(1 << 20, 1 << 20, {1, 2, 4, 8, 32, 128});
  for (std::int64_t side = 1; side < 1 << 20; side += 997) {
    const std::size_t level = level_for({0, 0, side, side / 2 + 1}, s, 777);
    const auto pixels = static_cast<double>(side) / s.levels[level].downsample;
    EXPECT_TRUE(level == 0 || pixels >= 777) << side;
    EXPECT_TRUE(level == 0 || side >= 777) << side;
  }
}

}  // namespace crop_rules_test
