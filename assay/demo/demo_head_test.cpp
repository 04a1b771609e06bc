// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/demo_head.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace demo_head_test {

using namespace assay;
using namespace assay::demo;

/// 64 voxels of 4 mm along each axis, centred on the head.
Grid head_grid() {
  return {.shape = {64, 64, 64}, .affine = {{{4, 0, 0, -126}, {0, 4, 0, -126}, {0, 0, 4, -126}}}};
}

int grey_at(const Volume<std::uint8_t>& image, std::size_t x, std::size_t y, std::size_t z) {
  return image.view().voxels[x + 64 * (y + 64 * z)];
}

TEST(DemoHead, has_the_contrasts_of_a_t1_weighted_image) {
  const Volume<std::uint8_t> none(head_grid());
  const auto image = head_image(none, 7);
  const int outside = grey_at(image, 2, 2, 2), white = grey_at(image, 41, 36, 24),
            ventricle = grey_at(image, 34, 30, 34);
  EXPECT_LT(outside, 12);
  EXPECT_GT(white, 110);
  EXPECT_LT(ventricle, 70);
}

TEST(DemoHead, is_darker_where_there_is_a_lesion) {
  Volume<std::uint8_t> lesions(head_grid());
  lesions.voxels()[41 + 64 * (36 + 64 * 24)] = 1;
  const Volume<std::uint8_t> none(head_grid());
  EXPECT_LT(grey_at(head_image(lesions, 7), 41, 36, 24) + 20,
            grey_at(head_image(none, 7), 41, 36, 24));
}

TEST(DemoHead, is_the_same_for_the_same_seed) {
  const Volume<std::uint8_t> none(head_grid());
  const auto first = head_image(none, 7), again = head_image(none, 7), other = head_image(none, 8);
  EXPECT_TRUE(std::ranges::equal(first.view().voxels, again.view().voxels));
  EXPECT_FALSE(std::ranges::equal(first.view().voxels, other.view().voxels));
}

}  // namespace demo_head_test
