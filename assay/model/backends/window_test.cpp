// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/window.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace assay::model::window_test {

using ::testing::ElementsAre;

std::vector<std::size_t> starts(std::size_t image, std::size_t window, double overlap) {
  return window_plan({image, 1, 1}, {.window = Shape{window, 1, 1}, .overlap = overlap}).starts[0];
}

TEST(WindowPlan, steps_are_rounded_down_and_the_last_window_ends_with_the_image) {
  EXPECT_THAT(starts(10, 4, 0.5), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(starts(11, 4, 0.5), ElementsAre(0, 2, 4, 6, 7));
  EXPECT_THAT(starts(10, 4, 0), ElementsAre(0, 4, 6));
  EXPECT_THAT(starts(10, 5, 0.5), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(starts(10, 4, 0.99), ElementsAre(0, 1, 2, 3, 4, 5, 6)) << "a step is 1 at least";
  EXPECT_THAT(starts(4, 4, 0.9), ElementsAre(0));
}

TEST(WindowPlan, a_smaller_image_is_padded_on_both_sides_with_the_odd_voxel_after_it) {
  const WindowPlan plan = window_plan({5, 8, 3}, {.window = Shape{8, 8, 8}});
  EXPECT_EQ(plan.padded, (Shape{8, 8, 8}));
  EXPECT_EQ(plan.before, (Shape{1, 0, 2}));
  for (const auto& along : plan.starts) EXPECT_THAT(along, ElementsAre(0));
}

TEST(WindowPlan, without_a_window_the_whole_image_is_one) {
  const WindowPlan plan = window_plan({5, 8, 3}, {});
  EXPECT_EQ(plan.window, (Shape{5, 8, 3}));
  EXPECT_EQ(plan.before, Shape{});
}

TEST(WindowWeights, a_gaussian_has_an_eighth_of_the_window_as_deviation) {
  const std::vector<float> line = window_weights({8, 1, 1}, WindowWeights::gaussian);
  for (std::size_t i = 0; i < 8; ++i) {
    const double away = static_cast<double>(i) - 3.5;
    EXPECT_NEAR(line[i], std::max(std::exp(-away * away / 2), 1e-3), 1e-7) << i;
  }
  const std::vector<float> cube = window_weights({16, 16, 16}, WindowWeights::gaussian);
  EXPECT_EQ(cube.front(), 1e-3F) << "corners count a little";
  EXPECT_EQ(cube[1 + 16 * (2 + 16 * 3)], cube[3 + 16 * (2 + 16 * 1)]);
}

TEST(WindowWeights, constant_ones_are_all_the_same) {
  EXPECT_THAT(window_weights({2, 2, 1}, WindowWeights::constant), ElementsAre(1, 1, 1, 1));
}

}  // namespace assay::model::window_test
