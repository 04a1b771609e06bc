// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "assay/base/test_files.hpp"
#include "assay/model.hpp"

namespace prepare_test {

using namespace assay;
using namespace assay::model;

/// The recipe with a shape that takes no time.
Recipe small(Recipe recipe) {
  if (recipe.shape) recipe.shape = Shape{10, 10, 10};
  return recipe;
}

Recipe builtin(std::string_view name) {
  return small(*std::ranges::find(builtin_recipes(), name, &Recipe::name));
}

/// Every way in which three axes can run.
std::vector<std::string> all_orientations() {
  std::vector<std::string> out;
  std::array<std::size_t, 3> order = {0, 1, 2};
  constexpr std::array<std::string_view, 3> ends = {"LR", "PA", "IS"};
  do
    for (unsigned flips = 0; flips < 8; ++flips) {
      std::string letters;
      for (std::size_t axis = 0; axis < 3; ++axis) letters += ends[order[axis]][flips >> axis & 1U];
      out.push_back(letters);
    }
  while (std::ranges::next_permutation(order).found);
  return out;
}

Volume<std::uint8_t> random_labels(const Grid& grid, unsigned seed = 5) {
  std::mt19937 random(seed);
  Volume<std::uint8_t> out(grid);
  for (std::uint8_t& label : out.voxels()) label = static_cast<std::uint8_t>(random() % 4);
  return out;
}

Volume<float> as_image(View<std::uint8_t> labels) {
  return {labels.grid, std::vector<float>(labels.voxels.begin(), labels.voxels.end())};
}

void expect_equal(View<std::uint8_t> found, View<std::uint8_t> expected, const std::string& what) {
  EXPECT_EQ(found.grid, expected.grid) << what;
  EXPECT_TRUE(std::ranges::equal(found.voxels, expected.voxels)) << what;
}

const Grid millimetres = {.shape = {8, 6, 4},
                          .affine = {{{1, 0, 0, -3}, {0, 1, 0, 4}, {0, 0, 1, 8}}}};

TEST(Recipe, restores_what_fits_in_any_orientation_and_grid) {
  const Volume<std::uint8_t> labels = random_labels(millimetres);
  const std::vector<std::string> orientations = all_orientations();
  ASSERT_EQ(orientations.size(), 48U);
  for (const GridRule rule :
       {GridRule::native, GridRule::zoom, GridRule::field_of_view, GridRule::conform})
    for (const std::string& letters : orientations) {
      // Around the middle n / 2, odd next to even would lie between voxels.
      const Shape shape = rule == GridRule::conform ? Shape{10, 12, 14} : Shape{9, 8, 10};
      const Recipe recipe = {.name = "r", .orientation = letters, .grid = rule, .shape = shape};
      const Volume<std::uint8_t> there = prepared_labels(labels.view(), recipe);
      EXPECT_EQ(orientation(there.grid()), letters);
      const Volume<std::uint8_t> back = restored(there.view(), {millimetres, there.grid()}, recipe);
      expect_equal(back.view(), labels.view(), letters);
    }
}

TEST(Recipe, restores_what_was_made_finer) {
  Grid thick = millimetres;
  thick.affine[2][2] = 3;
  const Volume<std::uint8_t> labels = random_labels(thick);
  for (const GridRule rule : {GridRule::zoom, GridRule::field_of_view, GridRule::conform}) {
    const Recipe recipe = {.name = "r", .grid = rule, .shape = Shape{12, 12, 24}};
    const Volume<std::uint8_t> there = prepared_labels(labels.view(), recipe);
    const Volume<std::uint8_t> back = restored(there.view(), {thick, there.grid()}, recipe);
    expect_equal(back.view(), labels.view(), std::to_string(static_cast<int>(rule)));
  }
}

TEST(Recipe, leaves_zeros_where_the_model_did_not_look) {
  const Grid seven = {.shape = {7, 6, 5}};
  const Volume<std::uint8_t> ones(seven, std::vector<std::uint8_t>(210, 1));
  for (const GridRule rule : {GridRule::native, GridRule::zoom}) {
    const Recipe recipe = {.name = "cut", .grid = rule, .shape = Shape{4, 6, 5}};
    const Volume<std::uint8_t> there = prepared_labels(ones.view(), recipe);
    const Volume<std::uint8_t> back = restored(there.view(), {seven, there.grid()}, recipe);
    // Of seven, four from the second on: the odd one is cut at the end.
    for (std::size_t x = 0; x < 7; ++x) EXPECT_EQ(back.view()(x, 2, 2), x >= 1 && x < 5) << x;
  }
}

TEST(Recipe, pads_the_odd_voxel_at_the_end) {
  const Volume<std::uint8_t> one({.shape = {1, 1, 1}}, {9});
  const Volume<std::uint8_t> there =
      prepared_labels(one.view(), {.name = "pad", .shape = Shape{4, 1, 1}});
  EXPECT_TRUE(std::ranges::equal(there.view().voxels, std::array{0, 9, 0, 0}));
}

TEST(Recipe, prepares_images_and_labels_on_the_same_grid) {
  const Volume<std::uint8_t> labels = random_labels(millimetres);
  for (const Recipe& full : builtin_recipes()) {
    const Recipe recipe = small(full);
    const Volume<float> voxels = as_image(labels.view());
    const Prepared image = prepared(voxels.view(), recipe);
    EXPECT_EQ(image.image.grid(), prepared_labels(labels.view(), recipe).grid()) << recipe.name;
    EXPECT_EQ(image.placement.model, image.image.grid());
    EXPECT_EQ(image.placement.native, millimetres);
  }
}

TEST(Recipe, scales_to_0_and_1) {
  const Volume<std::uint8_t> labels = random_labels(millimetres);
  const Volume<float> image = as_image(labels.view());
  for (const char* name : {"arc-meshchop", "brainchop", "mindgrab", "minmax"}) {
    const Prepared found = prepared(image.view(), builtin(name));
    const auto [low, high] = std::ranges::minmax(found.image.view().voxels);
    EXPECT_EQ(low, 0) << name;
    EXPECT_NEAR(high, 1, 2e-3) << name;
  }
  const Prepared same = prepared(image.view(), builtin("none"));
  EXPECT_TRUE(std::ranges::equal(same.image.view().voxels, image.view().voxels));
}

TEST(Recipe, leaves_a_conformed_file_as_it_is) {
  Recipe recipe = builtin("brainchop");
  recipe.intensity = IntensityRule::none;
  recipe.shape = Shape{6, 6, 6};
  const Grid conformed = {.shape = {6, 6, 6},
                          .affine = {{{-1, 0, 0, 3}, {0, 0, 1, -3}, {0, -1, 0, 3}}}};
  const Volume<std::uint8_t> bytes = random_labels(conformed);
  Volume<float> image = as_image(bytes.view());
  const Prepared same = prepared(image.view(), recipe);
  EXPECT_EQ(same.image.grid(), conformed);
  EXPECT_TRUE(std::ranges::equal(same.image.view().voxels, image.view().voxels));
  image.voxels()[0] = 0.5F;  // not a byte: scaled as any other image
  const Prepared scaled = prepared(image.view(), recipe);
  EXPECT_EQ(std::ranges::max(scaled.image.view().voxels), 255);
}

TEST(Recipe, refuses_images_that_cannot_be_prepared) {
  const auto refusal = [](const Volume<float>& image, const Recipe& recipe) {
    return test::refusal([&] { prepared(image.view(), recipe); });
  };
  using testing::HasSubstr;
  const Recipe arc = builtin("arc-meshchop"), none = builtin("none");
  EXPECT_THAT(refusal(Volume<float>(Grid{.shape = {0, 1, 1}}), none), HasSubstr("no voxels"));
  Volume<float> image(Grid{.shape = {2, 2, 2}});
  EXPECT_THAT(refusal(image, arc), HasSubstr("no range to scale by"));
  EXPECT_EQ(refusal(image, none), "");
  image.voxels()[5] = NAN;
  EXPECT_THAT(refusal(image, none), HasSubstr("voxel (1, 0, 1) is nan"));
  const Volume<float> one(Grid{.shape = {1, 1, 1}}, {4});
  EXPECT_EQ(refusal(one, arc), "");  // padded with zeros, it has a range
  EXPECT_THAT(refusal(one, builtin("minmax")), HasSubstr("no range to scale by"));
}

TEST(Recipe, refuses_labels_of_another_grid) {
  const Recipe recipe = {.name = "none"};
  const Volume<std::uint8_t> labels = random_labels(millimetres);
  Grid other = millimetres;
  other.affine[0][3] += 1;
  EXPECT_THROW(restored(labels.view(), {millimetres, other}, recipe), Error);
  EXPECT_NO_THROW(restored(labels.view(), {millimetres, millimetres}, recipe));
}

TEST(Recipe, names_the_field_that_is_out_of_range) {
  const auto refusal = [](const Recipe& recipe) {
    return test::refusal([&] { require_valid(recipe); });
  };
  using testing::StartsWith;
  for (const Recipe& recipe : builtin_recipes()) EXPECT_EQ(refusal(recipe), "") << recipe.name;
  for (const char* letters : {"RRS", "ras", "RA", "RASR", "XYZ"})
    EXPECT_THAT(refusal({.name = "r", .orientation = letters}), StartsWith("orientation "));
  for (const double spacing : {0.0, -1.0, double{NAN}, double{INFINITY}})
    EXPECT_THAT(refusal({.name = "r", .spacing_mm = {1, spacing, 1}}), StartsWith("spacing_mm "));
  EXPECT_THAT(refusal({.name = "r", .shape = Shape{0, 1, 1}}), StartsWith("shape "));
  EXPECT_THAT(refusal({.name = "r", .shape = Shape{1 << 20, 1 << 20, 1}}), StartsWith("shape "));
  EXPECT_THAT(refusal({.name = "r", .bytes_upper = 0}), StartsWith("bytes_upper "));
  EXPECT_THAT(refusal({.name = "r", .quantiles = {0.9, 0.1}}), StartsWith("quantiles "));
  EXPECT_THAT(refusal({.name = "r", .quantiles = {NAN, 1}}), StartsWith("quantiles "));
  EXPECT_THAT(refusal({.name = "r", .epsilon = -1}), StartsWith("epsilon "));
  EXPECT_THAT(refusal({.name = "r", .min_volume_ml = NAN}), StartsWith("min_volume_ml "));
  EXPECT_THAT(refusal({.name = "r", .connectivity = 8}), StartsWith("connectivity "));
}

}  // namespace prepare_test
