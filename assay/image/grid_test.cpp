// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "assay/volume.hpp"

namespace grid_test {

using namespace assay;

constexpr Grid ras = {.shape = {4, 3, 2},
                      .affine = {{{1.5, 0, 0, -10}, {0, 2, 0, -20}, {0, 0, 3, 5}}}};
/// The same voxels in space, stored with x running left and z first: axes (S, L, A).
constexpr Grid sla = {.shape = {2, 4, 3},
                      .affine = {{{0, -1.5, 0, -5.5}, {0, 0, 2, -20}, {3, 0, 0, 5}}}};

Volume<std::uint8_t> counting(const Grid& grid) {
  Volume<std::uint8_t> volume(grid);
  std::iota(volume.voxels().begin(), volume.voxels().end(), std::uint8_t{0});
  return volume;
}

TEST(Grid, knows_spacing_volume_and_orientation) {
  EXPECT_EQ(spacing_mm(ras), (Point{1.5, 2, 3}));
  EXPECT_DOUBLE_EQ(voxel_ml(ras), 0.009);
  EXPECT_EQ(orientation(ras), "RAS");
  EXPECT_EQ(orientation(sla), "SLA");
  EXPECT_EQ(describe(sla), "2x4x3 voxels of 3x1.5x2 mm, SLA, origin (-5.5, -20, 5)");
}

TEST(Grid, volume_of_an_oblique_voxel_is_the_determinant) {
  Grid sheared = ras;
  sheared.affine[0][1] = 1;  // y also moves x: spacing grows, volume does not
  EXPECT_GT(spacing_mm(sheared)[1], 2);
  EXPECT_DOUBLE_EQ(voxel_ml(sheared), 0.009);
}

TEST(Grid, corner_shift_is_measured_in_millimetres) {
  Grid moved = ras;
  moved.affine[2][3] += 0.25;
  EXPECT_DOUBLE_EQ(greatest_corner_shift_mm(ras, moved), 0.25);
  EXPECT_EQ(greatest_corner_shift_mm(ras, ras), 0);
  EXPECT_TRUE(std::isinf(greatest_corner_shift_mm(ras, sla)));  // other shape
  moved.affine[0][0] = NAN;
  EXPECT_TRUE(std::isinf(greatest_corner_shift_mm(ras, moved)));
}

TEST(AxisMap, brings_a_permuted_and_flipped_grid_back) {
  const AxisMap map = axis_map(sla, ras);
  EXPECT_EQ(map.source, (std::array<std::size_t, 3>{1, 2, 0}));
  EXPECT_EQ(map.flipped, (std::array<bool, 3>{true, false, false}));
  EXPECT_EQ(greatest_corner_shift_mm(reoriented(sla, map), ras), 0);
  EXPECT_TRUE(axis_map(ras, ras).is_identity());
}

TEST(AxisMap, reorient_moves_each_voxel_to_the_same_place_in_space) {
  const auto stored = counting(sla);
  const AxisMap map = axis_map(sla, ras);
  Volume<std::uint8_t> moved(reoriented(sla, map));
  reorient(stored.view(), map, moved.voxels());
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 4; ++x)
        EXPECT_EQ(moved.view()(x, y, z), stored.view()(z, 3 - x, y));
}

TEST(AxisMap, every_signed_permutation_can_be_undone) {
  const std::array<std::array<std::size_t, 3>, 6> orders = {
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  for (const auto& order : orders)
    for (unsigned flips = 0; flips < 8; ++flips) {
      const AxisMap there = {order, {(flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0}};
      const Grid stored = reoriented(ras, there);
      const AxisMap back = axis_map(stored, ras);
      EXPECT_LT(greatest_corner_shift_mm(reoriented(stored, back), ras), 1e-12);

      const auto original = counting(ras);
      Volume<std::uint8_t> moved(stored), returned(ras);
      reorient(original.view(), there, moved.voxels());
      reorient(moved.view(), back, returned.voxels());
      EXPECT_TRUE(std::ranges::equal(returned.view().voxels, original.view().voxels));
    }
}

}  // namespace grid_test
