// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/resample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>

namespace resample_test {

using namespace assay;
using namespace assay::model;

Volume<float> random_volume(const Grid& grid, unsigned seed) {
  std::mt19937 random(seed);
  Volume<float> out(grid);
  for (float& value : out.voxels()) value = static_cast<float>(random() % 1000) / 7;
  return out;
}

/// Eight neighbours in the order of SciPy, voxel by voxel.
float slow(View<float> source, const std::array<double, 3>& at) {
  double sum = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::array<std::size_t, 3> index{};
    double weight[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::isnan(at[axis])) return 0;
      const bool upper = (corner >> (2 - axis) & 1U) != 0;
      const double low = 1 - (at[axis] - std::floor(at[axis]));
      index[axis] =
          std::min(static_cast<std::size_t>(at[axis]) + upper, source.grid.shape[axis] - 1);
      weight[axis] = upper ? 1 - low : low;
    }
    sum += static_cast<double>(source(index[0], index[1], index[2])) * weight[0] * weight[1] *
           weight[2];
  }
  return static_cast<float>(sum);
}

/// Twice as many tasks at once as there are, in a bad order.
void backwards(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  std::vector<std::jthread> threads;
  for (std::size_t i = tasks; i-- > 0;) threads.emplace_back([&task, i] { task(i); });
}

Mapping mapping_of(const Shape& shape, double spacing, const Recipe& recipe) {
  Grid native = {.shape = shape};
  for (std::size_t axis = 0; axis < 3; ++axis)
    native.affine[axis][axis] = spacing + static_cast<double>(axis) / 3;
  return to_model(native, model_grid(native, recipe), recipe);
}

const Recipe recipes[] = {
    {.name = "zoom", .grid = GridRule::zoom},
    {.name = "cut", .grid = GridRule::zoom, .shape = Shape{5, 9, 14}},
    {.name = "native", .shape = Shape{3, 9, 5}},
    {.name = "view", .grid = GridRule::field_of_view, .shape = Shape{9, 8, 7}},
    {.name = "conform", .grid = GridRule::conform}};

TEST(Resampled, is_the_sum_of_eight_neighbours_bit_by_bit) {
  for (const Recipe& recipe : recipes)
    for (const double spacing : {0.6, 1.0, 2.3}) {
      const Mapping mapping = mapping_of({7, 5, 6}, spacing, recipe);
      const Volume<float> source = random_volume({.shape = {7, 5, 6}}, 1);
      const Volume<float> found = resampled(source.view(), mapping, {});
      const Shape& shape = mapping.target.shape;
      for (std::size_t z = 0; z < shape[2]; ++z)
        for (std::size_t y = 0; y < shape[1]; ++y)
          for (std::size_t x = 0; x < shape[0]; ++x)
            ASSERT_EQ(found.view()(x, y, z),
                      slow(source.view(), {mapping.positions[0][x], mapping.positions[1][y],
                                           mapping.positions[2][z]}))
                << recipe.name << ' ' << spacing;
    }
}

TEST(Resampled, has_the_same_bits_for_any_executor) {
  for (const Recipe& recipe : recipes) {
    const Mapping mapping = mapping_of({7, 5, 6}, 1.7, recipe);
    const Volume<float> source = random_volume({.shape = {7, 5, 6}}, 2);
    const Volume<float> one = resampled(source.view(), mapping, {});
    const Volume<float> many = resampled(source.view(), mapping, backwards);
    EXPECT_EQ(std::memcmp(one.view().voxels.data(), many.view().voxels.data(),
                          one.view().voxels.size_bytes()),
              0);
  }
}

TEST(Resampled, takes_the_upper_of_two_nearest_labels) {
  Mapping mapping = {.source = {3, 1, 1}, .target = {.shape = {5, 1, 1}}};
  mapping.positions = {std::vector<double>{0, 0.49, 0.5, 1.5, NAN}, {0}, {0}};
  const Volume<std::uint8_t> labels({.shape = {3, 1, 1}}, {7, 8, 9});
  const auto found = resampled(labels.view(), mapping, {});
  EXPECT_EQ(std::vector(found.view().voxels.begin(), found.view().voxels.end()),
            (std::vector<std::uint8_t>{7, 7, 8, 9, 0}));
}

TEST(Resampled, on_an_oblique_grid_agrees_with_a_linear_function) {
  // Interpolation between eight neighbours is exact where values are linear in space.
  const Grid native = {.shape = {12, 13, 14},
                       .affine = {{{0.8, -0.6, 0, 5}, {0.6, 0.8, 0, 0}, {0, 0, 1.5, 0}}}};
  const auto field = [](const Point& p) { return 100 + 2 * p[0] - 3 * p[1] + 0.5 * p[2]; };
  Volume<float> source(native);
  for (std::size_t i = 0; i < native.size(); ++i)
    source.voxels()[i] = static_cast<float>(
        field(position_mm(native, {static_cast<double>(i % 12), static_cast<double>(i / 12 % 13),
                                   static_cast<double>(i / 156)})));
  const Recipe recipe = {.name = "conform", .grid = GridRule::conform, .shape = Shape{9, 9, 9}};
  const Grid model = model_grid(native, recipe);
  const Mapping mapping = to_model(native, model, recipe);
  ASSERT_TRUE(mapping.oblique);
  const Volume<float> found = resampled(source.view(), mapping, backwards);
  std::size_t inside = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (found.view().voxels[i] == 0) continue;
    ++inside;
    EXPECT_NEAR(
        found.view().voxels[i],
        field(position_mm(model, {static_cast<double>(i % 9), static_cast<double>(i / 9 % 9),
                                  static_cast<double>(i / 81)})),
        1e-4);
  }
  EXPECT_GT(inside, 300U);
}

}  // namespace resample_test
