// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/patches.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace patches_test {

using namespace assay;
using namespace assay::qa;

void paint(Picture& picture, const slide::SlideRegion& where, int red, int green, int blue) {
  for (std::int64_t y = where.y; y < where.y + where.height; ++y)
    for (std::int64_t x = where.x; x < where.x + where.width; ++x) {
      std::uint8_t* at = picture.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
      at[0] = static_cast<std::uint8_t>(red);
      at[1] = static_cast<std::uint8_t>(green);
      at[2] = static_cast<std::uint8_t>(blue);
    }
}

slide::SlideInfo slide_of(std::int64_t width, std::int64_t height) {
  return {.width = width, .height = height, .levels = {{width, height, 1}}};
}

TEST(Patches, lie_on_tissue) {
  Picture thumbnail = Picture::filled(100, 80, 244);
  paint(thumbnail, {20, 10, 30, 30}, 220, 160, 200);
  paint(thumbnail, {70, 60, 10, 10}, 5, 0, 5);  // pen: dark, though "saturated"
  const auto found = patch_regions(thumbnail, slide_of(10'000, 8000));
  ASSERT_EQ(found.size(), 30U);
  for (const slide::SlideRegion& r : found) {
    EXPECT_EQ(r.width, 224);
    EXPECT_EQ(r.height, 224);
    const std::int64_t x = r.x + 112, y = r.y + 112;
    EXPECT_TRUE(x >= 2000 && x < 5000 && y >= 1000 && y < 4000) << x << ' ' << y;
  }
}

TEST(Patches, follow_the_seed) {
  Picture thumbnail = Picture::filled(50, 50, 240);
  paint(thumbnail, {10, 10, 20, 20}, 200, 100, 180);
  const slide::SlideInfo s = slide_of(5000, 5000);
  EXPECT_EQ(patch_regions(thumbnail, s), patch_regions(thumbnail, s));
  EXPECT_NE(patch_regions(thumbnail, s), patch_regions(thumbnail, s, {.seed = 43}));
}

TEST(Patches, are_anywhere_on_a_slide_without_tissue_and_always_inside) {
  for (const std::int64_t side : {1000, 224, 100}) {
    const auto found = patch_regions(Picture::filled(64, 64, 250), slide_of(side, side / 2));
    ASSERT_EQ(found.size(), 30U);
    for (const slide::SlideRegion& r : found) {
      EXPECT_TRUE(r.x >= 0 && r.y >= 0 && r.x + r.width <= side && r.y + r.height <= side / 2);
      EXPECT_EQ(r.width, std::min<std::int64_t>(224, side));
    }
  }
}

/// Patches on the whole of a stained slide, not only on its darker half.
TEST(Patches, take_a_slide_full_of_tissue_as_it_is) {
  Picture thumbnail = Picture::filled(60, 60);
  paint(thumbnail, {0, 0, 30, 60}, 220, 150, 200);
  paint(thumbnail, {30, 0, 30, 60}, 160, 80, 150);
  const auto found = patch_regions(thumbnail, slide_of(6000, 6000), {.count = 60});
  EXPECT_GT(std::ranges::count_if(found, [](const slide::SlideRegion& r) { return r.x < 2500; }),
            10);
  EXPECT_GT(std::ranges::count_if(found, [](const slide::SlideRegion& r) { return r.x > 3000; }),
            10);
}

TEST(Collage, thirty_patches_are_six_by_five) {
  std::vector<Picture> patches(30, Picture::filled(224, 224, 0));
  patches[7] = Picture::filled(224, 224, 77);
  const Picture whole = collage(patches);
  EXPECT_EQ(whole.width, 6U * 224);
  EXPECT_EQ(whole.height, 5U * 224);
  EXPECT_EQ(*whole.at(224, 224), 77);  // second row, second column
  EXPECT_EQ(*whole.at(223, 224), 0);
}

TEST(Collage, empty_places_are_white_and_sizes_may_differ) {
  const std::vector<Picture> pictures = {Picture::filled(3, 2, 1), Picture::filled(2, 3, 2),
                                         Picture::filled(1, 1, 3)};
  const Picture whole = collage(pictures);
  EXPECT_EQ(whole.width, 6U);
  EXPECT_EQ(whole.height, 6U);
  EXPECT_EQ(*whole.at(0, 2), 255);
  EXPECT_EQ(*whole.at(3, 2), 2);
  EXPECT_EQ(*whole.at(0, 3), 3);
  EXPECT_EQ(*whole.at(5, 5), 255);
  EXPECT_EQ(collage({}), Picture{});
}

}  // namespace patches_test
