// SPDX-License-Identifier: Apache-2.0
#include "assay/image/rasterise.hpp"

#include <gtest/gtest.h>

#include <random>

#include "assay/error.hpp"

namespace assay::rasterise_test {

constexpr Shape shape = {12, 10, 3};

SliceContour box(double low, double high, std::size_t slice = 1) {
  return {slice, {{low, low}, {high, low}, {high, high}, {low, high}}};
}

std::size_t count(const VoxelSpans& spans) {
  std::size_t out = 0;
  for (const VoxelSpan& span : spans) out += span.end - span.first;
  return out;
}

bool holds(const VoxelSpans& spans, std::size_t x, std::size_t y, std::size_t z) {
  const std::size_t at = x + shape[0] * (y + shape[1] * z);
  for (const VoxelSpan& span : spans)
    if (at >= span.first && at < span.end) return true;
  return false;
}

TEST(Rasterise, a_box_has_the_centres_inside) {
  const VoxelSpans found = rasterised({box(1.5, 4.5)}, shape, RasterRule::centre);
  EXPECT_EQ(count(found), 9U);
  EXPECT_TRUE(holds(found, 2, 2, 1) && holds(found, 4, 4, 1));
  EXPECT_FALSE(holds(found, 1, 2, 1) || holds(found, 2, 2, 0));
}

TEST(Rasterise, boxes_that_share_an_edge_share_no_voxel) {
  const VoxelSpans both =
      rasterised({box(1, 4), {1, {{4, 1}, {7, 1}, {7, 4}, {4, 4}}}}, shape, RasterRule::centre);
  EXPECT_EQ(count(both), 18U);
}

TEST(Rasterise, inner_contours_are_holes_by_rule) {
  EXPECT_EQ(count(rasterised({box(0.5, 6.5), box(2.5, 4.5)}, shape, RasterRule::centre)), 32U);
  EXPECT_EQ(count(rasterised({box(0.5, 6.5), box(2.5, 4.5)}, shape, RasterRule::plastimatch)), 36U);
  EXPECT_EQ(count(rasterised({box(2, 4)}, shape, RasterRule::rt_utils)), 9U);
}

TEST(Rasterise, what_is_outside_is_cut_off) {
  EXPECT_EQ(count(rasterised({box(-1e300, 1e300)}, shape, RasterRule::centre)), 120U);
  EXPECT_EQ(count(rasterised({box(-9, 1.5)}, shape, RasterRule::rt_utils)), 9U);
}

TEST(Rasterise, what_crosses_a_slice_millions_of_times_is_refused) {
  SliceContour zigzag = {1, {}};
  for (int i = 0; i < 1'000'000; ++i) {
    zigzag.points.push_back({3, -1e300});
    zigzag.points.push_back({4, 1e300});
  }
  for (const RasterRule rule : {RasterRule::centre, RasterRule::plastimatch, RasterRule::rt_utils})
    EXPECT_THROW(rasterised({zigzag}, shape, rule), Error);
  zigzag.points.resize(1000);
  EXPECT_NO_THROW(rasterised({zigzag}, shape, RasterRule::centre));
}

/// Crossings to the right of a point, one edge at a time.
bool is_inside(const std::vector<std::array<double, 2>>& p, double x, double y) {
  bool odd = false;
  for (std::size_t i = 0, j = p.size() - 1; i < p.size(); j = i++)
    if ((p[i][1] > y) != (p[j][1] > y) &&
        x < (p[j][0] - p[i][0]) * (y - p[i][1]) / (p[j][1] - p[i][1]) + p[i][0])
      odd = !odd;
  return odd;
}

TEST(Rasterise, random_polygons_agree_with_counting_crossings) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-2, 13);
  for (int trial = 0; trial < 200; ++trial) {
    SliceContour contour = {2, {}};
    for (int i = 0; i < 7; ++i) contour.points.push_back({place(random), place(random)});
    const VoxelSpans found = rasterised({contour}, shape, RasterRule::centre);
    for (std::size_t y = 0; y < shape[1]; ++y)
      for (std::size_t x = 0; x < shape[0]; ++x)
        ASSERT_EQ(holds(found, x, y, 2),
                  is_inside(contour.points, static_cast<double>(x), static_cast<double>(y)));
  }
}

TEST(Rasterise, gaps_are_found_and_filled_between_outlines) {
  EXPECT_FALSE(gap_in(std::vector{box(1, 2, 0), box(1, 2, 1)}));
  const std::vector ends = {box(0.5, 6.5, 0), box(2.5, 4.5, 2)};
  EXPECT_EQ(gap_in(ends), (std::array<std::size_t, 2>{0, 2}));
  const VoxelSpans voxels = rasterised(ends, shape, RasterRule::centre);
  const VoxelSpans filled = with_filled_gaps(voxels, shape, {1, 1});
  EXPECT_EQ(count(voxels), 36U + 4U);
  EXPECT_TRUE(holds(filled, 3, 3, 1) && holds(filled, 2, 3, 1));
  EXPECT_FALSE(holds(filled, 1, 1, 1));
}

}  // namespace assay::rasterise_test
