// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/bit_volume.hpp"

#include <gtest/gtest.h>

#include "assay/metrics/volumes_for_test.hpp"

namespace bit_volume_test {

using namespace assay;
using namespace assay::metrics;
using namespace assay::test;

/// Voxel by voxel: the slow oracle.
std::optional<Box> slow_box(const Mask& mask) {
  std::optional<Box> out;
  for (Index z = 0; z < static_cast<Index>(mask.shape[2]); ++z)
    for (Index y = 0; y < static_cast<Index>(mask.shape[1]); ++y)
      for (Index x = 0; x < static_cast<Index>(mask.shape[0]); ++x)
        if (mask.at(x, y, z)) {
          const Box voxel = {{x, y, z}, {x + 1, y + 1, z + 1}};
          out = out ? joint_box(*out, voxel) : voxel;
        }
  return out;
}

bool slow_border(const Mask& mask, const Axes& axes, Index x, Index y, Index z) {
  if (!mask.at(x, y, z)) return false;
  for (const Index step : {-1, 1})
    if ((axes[0] && !mask.at(x + step, y, z)) || (axes[1] && !mask.at(x, y + step, z)) ||
        (axes[2] && !mask.at(x, y, z + step)))
      return true;
  return false;
}

TEST(BitVolume, box_crop_and_border_equal_the_oracle_on_random_masks) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 2000; ++i) {
    const Shape shape = {1 + rng() % 200, 1 + rng() % 5, 1 + rng() % 5};
    const Mask mask = random_mask(rng, shape, std::pow(0.5, static_cast<double>(rng() % 10)));
    const auto box = bounding_box(mask.packed());
    ASSERT_EQ(box, slow_box(mask));
    if (!box) continue;
    const BitVolume cut = cropped(mask.packed(), *box);
    const Axes axes = axes_of(shape);
    const BitVolume edge = border(cut, axes);
    for (Index z = 0; z < cut.size()[2]; ++z)
      for (Index y = 0; y < cut.size()[1]; ++y)
        for (Index x = 0; x < cut.size()[0]; ++x) {
          const Index X = box->low[0] + x - 1, Y = box->low[1] + y - 1, Z = box->low[2] + z - 1;
          ASSERT_EQ(cut.at(x, y, z), mask.at(X, Y, Z)) << x << ' ' << y << ' ' << z;
          ASSERT_EQ(edge.at(x, y, z), slow_border(mask, axes, X, Y, Z));
        }
  }
}

TEST(BitVolume, only_a_mask_that_changes_all_the_time_is_noisy) {
  const auto is_noisy_with = [](std::uint64_t word) {
    const std::vector<std::uint64_t> words(64, word);
    return is_noisy({{64, 64, 1}, words});
  };
  EXPECT_FALSE(is_noisy_with(0));
  EXPECT_FALSE(is_noisy_with(~std::uint64_t{0}));
  EXPECT_FALSE(is_noisy_with(0x00000000ffff0000));  // a block: two changes in a row
  EXPECT_TRUE(is_noisy_with(0x5555555555555555));
  EXPECT_TRUE(is_noisy_with(0x00ff00ff00ff00ff));
}

TEST(BitVolume, an_image_without_voxels_has_no_box) {
  EXPECT_EQ(bounding_box({{0, 0, 0}, {}}), std::nullopt);
  EXPECT_EQ(bounding_box({{3, 0, 2}, {}}), std::nullopt);
}

TEST(BitVolume, a_flat_image_has_no_border_across_its_plane) {
  const Mask square({4, 4, 1}, std::vector<std::uint8_t>(16, 1));
  const BitVolume cut = cropped(square.packed(), *bounding_box(square.packed()));
  EXPECT_EQ(border(cut, axes_of(square.shape)).count(), 12);
}

}  // namespace bit_volume_test
