// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/grids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/base/test_files.hpp"

namespace grids_test {

using namespace assay;
using namespace assay::model;

const Grid thick = {.shape = {4, 6, 3},
                    .affine = {{{1, 0, 0, -10}, {0, 1, 0, -20}, {0, 0, 5, 30}}}};

Recipe by(GridRule rule, std::optional<Shape> shape = {}) {
  return {.name = "test", .grid = rule, .shape = shape};
}

std::string refusal(const Grid& grid, const Recipe& recipe) {
  return test::refusal([&] { model_grid(grid, recipe); });
}

TEST(ModelGrid, of_zoom_keeps_both_corner_voxels_in_place) {
  const Grid model = model_grid(thick, by(GridRule::zoom));
  EXPECT_EQ(model.shape, (Shape{4, 6, 15}));
  EXPECT_EQ(position_mm(model, {0, 0, 0}), position_mm(thick, {0, 0, 0}));
  EXPECT_NEAR(position_mm(model, {3, 5, 14})[2], position_mm(thick, {3, 5, 2})[2], 1e-12);
  EXPECT_NEAR(spacing_mm(model)[2], 10.0 / 14, 1e-12);
}

TEST(ModelGrid, of_zoom_rounds_sizes_as_python_does) {
  Grid grid = thick;
  grid.shape = {5, 7, 1};
  grid.affine[0][0] = grid.affine[1][1] = 0.5;
  // 2.5 and 3.5 go to the even neighbour.
  EXPECT_EQ(model_grid(grid, by(GridRule::zoom)).shape, (Shape{2, 4, 5}));
}

TEST(ModelGrid, of_zoom_spreads_a_single_slice_over_its_thickness) {
  Grid grid = thick;
  grid.shape = {4, 6, 1};
  const Grid model = model_grid(grid, by(GridRule::zoom));
  EXPECT_EQ(model.shape[2], 5U);
  EXPECT_NEAR(position_mm(model, {0, 0, 0})[2], 28, 1e-12);
  EXPECT_NEAR(position_mm(model, {0, 0, 4})[2], 32, 1e-12);
}

TEST(ModelGrid, of_a_shape_says_where_its_voxels_lie) {
  for (const GridRule rule : {GridRule::native, GridRule::zoom}) {
    const Grid whole = model_grid(thick, by(rule));
    const Grid cut = model_grid(thick, by(rule, Shape{3, 9, 2}));
    EXPECT_EQ(cut.shape, (Shape{3, 9, 2}));
    const auto first = static_cast<double>((whole.shape[2] - 2) / 2);
    const Point expected = position_mm(whole, {0, -1, first}), found = position_mm(cut, {0, 0, 0});
    for (std::size_t row = 0; row < 3; ++row) EXPECT_NEAR(found[row], expected[row], 1e-12);
  }
}

TEST(ModelGrid, of_the_field_of_view_keeps_the_centre_voxel) {
  const Grid model = model_grid(thick, by(GridRule::field_of_view, Shape{8, 8, 8}));
  EXPECT_EQ(position_mm(model, {3, 3, 3}), position_mm(thick, {1, 2, 1}));
  EXPECT_EQ(spacing_mm(model), (Point{1, 1, 1}));
}

TEST(ModelGrid, of_conform_lies_along_the_scanner_around_the_middle) {
  Grid tilted = thick;
  tilted.affine = {{{0.8, -0.6, 0, 5}, {0.6, 0.8, 0, 0}, {0, 0, 2, 0}}};
  Recipe recipe = by(GridRule::conform, Shape{256, 256, 256});
  recipe.orientation = "LIA";
  const Grid model = model_grid(tilted, recipe);
  EXPECT_EQ(orientation(model), "LIA");
  const Point expected = position_mm(tilted, {2, 3, 1.5});
  const Point found = position_mm(model, {128, 128, 128});
  for (std::size_t row = 0; row < 3; ++row) EXPECT_NEAR(found[row], expected[row], 1e-12);
  EXPECT_EQ(model.affine[0][0], -1);
  EXPECT_EQ(model.affine[0][1], 0);
}

TEST(ModelGrid, refuses_what_cannot_be) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal({.shape = {0, 4, 4}}, by(GridRule::native)), HasSubstr("no voxels"));
  Grid grid = thick;
  grid.affine[2][2] = 1e9;
  EXPECT_THAT(refusal(grid, by(GridRule::zoom)), HasSubstr("check the image's spacing"));
  grid.affine[2][2] = 1e-9;
  EXPECT_THAT(refusal(grid, by(GridRule::zoom)), HasSubstr("would have 0 at 1 mm"));
  grid.affine[2][2] = NAN;
  EXPECT_THAT(refusal(grid, by(GridRule::zoom)), HasSubstr("check the image's spacing"));
  grid.affine = {{{1000, 0, 0, 0}, {0, 1000, 0, 0}, {0, 0, 1000, 0}}};
  EXPECT_THAT(refusal(grid, by(GridRule::zoom)), HasSubstr("4000x6000x3000"));
  EXPECT_EQ(model_grid(grid, by(GridRule::zoom, Shape{8, 8, 8})).shape, (Shape{8, 8, 8}));
}

}  // namespace grids_test
