// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/intensity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "assay/base/test_files.hpp"

namespace intensity_test {

using namespace assay;
using namespace assay::model;

Volume<float> row(std::vector<float> values) {
  const Grid grid = {.shape = {values.size(), 1, 1}};
  return {grid, std::move(values)};
}

std::vector<float> normalised(std::vector<float> values, const Recipe& recipe) {
  Volume<float> volume = row(std::move(values));
  normalise(volume, recipe, {});
  return {volume.view().voxels.begin(), volume.view().voxels.end()};
}

std::string refusal(const std::vector<float>& values, const Recipe& recipe) {
  return test::refusal([&] { normalised(values, recipe); });
}

const Recipe min_max = {.name = "test", .intensity = IntensityRule::min_max};

TEST(Quantiles, are_those_of_sorted_values) {
  std::mt19937 random(3);
  for (const std::size_t count : {1U, 2U, 3U, 10U, 257U}) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random() % 64) - 30.5F;
    std::vector<float> sorted = values;
    std::ranges::sort(sorted);
    for (const double at : {0.0, 0.02, 0.25, 0.5, 0.98, 1.0}) {
      const double place = at * static_cast<double>(count - 1);
      const auto low = static_cast<std::size_t>(place);
      const double expected =
          sorted[low] +
          (place - std::floor(place)) * (sorted[std::min(low + 1, count - 1)] - sorted[low]);
      EXPECT_NEAR(quantiles(values, {at, 1})[0], expected, 1e-12) << count << ' ' << at;
    }
  }
}

TEST(Quantiles, know_signs_zeros_and_tiny_numbers) {
  const std::vector<float> values = {-0.0F, 0.0F, -1e-40F, 1e-40F, -3e38F, 3e38F};
  EXPECT_EQ(quantiles(values, {0, 1}), (std::array<double, 2>{-3e38F, 3e38F}));
  EXPECT_EQ(quantiles(values, {0.2, 0.8}), (std::array<double, 2>{-1e-40F, 1e-40F}));
  EXPECT_EQ(quantiles(values, {0.4, 0.6}), (std::array<double, 2>{0, 0}));
}

TEST(Normalise, scales_by_the_range) {
  EXPECT_EQ(normalised({2, 4, 6, 10}, min_max), (std::vector<float>{0, 0.25F, 0.5F, 1}));
  Recipe recipe = min_max;
  recipe.epsilon = 8;
  EXPECT_EQ(normalised({2, 4, 6, 10}, recipe), (std::vector<float>{0, 0.125F, 0.25F, 0.5F}));
  recipe.intensity = IntensityRule::none;
  EXPECT_EQ(normalised({2, 4}, recipe), (std::vector<float>{2, 4}));
}

TEST(Normalise, scales_by_quantiles_and_clips_only_when_told) {
  Recipe recipe = {.name = "test", .intensity = IntensityRule::quantile, .quantiles = {0.25, 0.75}};
  EXPECT_EQ(normalised({0, 1, 2, 3, 4}, recipe), (std::vector<float>{-0.5F, 0, 0.5F, 1, 1.5F}));
  recipe.clip = true;
  EXPECT_EQ(normalised({0, 1, 2, 3, 4}, recipe), (std::vector<float>{0, 0, 0.5F, 1, 1}));
}

TEST(Normalise, refuses_what_has_no_range) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal({5, 5, 5}, min_max), HasSubstr("all voxels of the prepared image are 5"));
  Recipe recipe = {.name = "test", .intensity = IntensityRule::quantile, .quantiles = {0.2, 0.8}};
  EXPECT_THAT(refusal({0, 3, 3, 3, 3, 3, 9}, recipe), HasSubstr("both quantiles"));
  recipe.epsilon = 1e-3;
  EXPECT_EQ(refusal({0, 3, 3, 3, 3, 3, 9}, recipe), "");
  EXPECT_THAT(refusal({-3e38F, 3e38F}, min_max), HasSubstr("too far apart"));
}

TEST(RangeOf, names_the_voxel_that_is_no_number) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const float bad : {NAN, infinite, -infinite}) {
    Volume<float> volume(Grid{.shape = {100, 100, 100}});
    volume.voxels()[3 + 100 * 4 + 10000 * 77] = bad;
    EXPECT_THAT(test::refusal([&] { range_of(volume.view(), {}); }),
                testing::HasSubstr("voxel (3, 4, 77) is "));
  }
}

TEST(ScaleToBytes, cuts_the_brightest_voxels_off) {
  // 0 to 999, one in each bin: of 999 voxels other than 0, 19 are left out, and one more bin.
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  scale_to_bytes(values, {0, 999}, 0.98);
  const double width = 0.999, high = 979 * width;
  EXPECT_EQ(values[0], 0);
  EXPECT_FLOAT_EQ(values[500], static_cast<float>(500 * 255 / high));
  EXPECT_LT(values[977], 255);
  EXPECT_EQ(values[979], 255);
  EXPECT_EQ(values[999], 255);
}

TEST(ScaleToBytes, leaves_a_constant_image_and_rounds_to_even) {
  std::vector<float> values = {7, 7, 7};
  scale_to_bytes(values, {7, 7}, 0.98);
  EXPECT_EQ(values, (std::vector<float>{7, 7, 7}));
  values = {0.5F, 1.5F, 2.4F};
  round_values(values);
  EXPECT_EQ(values, (std::vector<float>{0, 2, 2}));
}

TEST(Normalise, z_scores_have_mean_0_and_deviation_1) {
  const auto found = normalised({1, 3, 5, 7}, {.name = "r", .intensity = IntensityRule::zscore});
  const float deviation = std::sqrt(5.0F);  // over n, not n - 1
  EXPECT_THAT(found, testing::Pointwise(testing::FloatEq(), {-3 / deviation, -1 / deviation,
                                                             1 / deviation, 3 / deviation}));
}

TEST(Normalise, z_scores_of_voxels_other_than_0_leave_0_as_it_is) {
  const Recipe recipe = {.name = "r", .intensity = IntensityRule::zscore_nonzero};
  EXPECT_THAT(normalised({0, 2, 4, 0}, recipe), testing::ElementsAre(0, -1, 1, 0));
  EXPECT_THAT(refusal({0, 2, 2}, recipe),
              testing::HasSubstr("all voxels other than 0 of the prepared image are 2"));
  EXPECT_NE(refusal({0, 0}, recipe), "");
}

TEST(Normalise, fixed_numbers_cut_first_and_then_scale) {
  Recipe recipe = {.name = "r", .intensity = IntensityRule::fixed};
  recipe.mean = {10};
  recipe.standard_deviation = {5};
  EXPECT_THAT(normalised({0, 10, 20}, recipe), testing::ElementsAre(-2, 0, 2));
  recipe.clip_values = {5, 15};
  EXPECT_THAT(normalised({0, 10, 20}, recipe), testing::ElementsAre(-1, 0, 1));
  EXPECT_THAT(normalised({7, 7}, recipe), testing::Each(-0.6F)) << "no range is needed";
}

TEST(OfChannel, every_channel_has_its_own_numbers) {
  Recipe recipe = {.name = "r", .channels = 2};
  recipe.channel_intensities = {IntensityRule::zscore, IntensityRule::fixed};
  recipe.mean = {1, 2};
  recipe.clip_values = {0, 1, 2, 3};
  const Recipe second = of_channel(recipe, 1);
  EXPECT_EQ(second.intensity, IntensityRule::fixed);
  EXPECT_THAT(second.mean, testing::ElementsAre(2));
  EXPECT_THAT(second.standard_deviation, testing::ElementsAre(1));
  EXPECT_THAT(second.clip_values, testing::ElementsAre(2, 3));
  EXPECT_EQ(of_channel(recipe, 0).intensity, IntensityRule::zscore);
}

}  // namespace intensity_test
