// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/recipe_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace recipe_file_test {

using namespace assay;
using namespace assay::model;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(std::string_view text) {
  return test::refusal([&] { parse_recipe(text, "my.toml"); });
}

/// Every field away from its default.
constexpr std::string_view everything = R"(
name = "all"
axes = "zyx"
orientation = "LPS"
grid = "field_of_view"
spacing_mm = 1.5
shape = [64, 96, 128]
to_bytes = true
bytes_upper = 0.999
intensity = "quantile"
quantiles = [0.1, 0.9]
clip = true
epsilon = 0.5
largest_component = true
min_volume_ml = 0.25
connectivity = 6
)";

TEST(ParseRecipe, reads_every_key) {
  const Recipe expected = {.name = "all",
                           .axes = TensorAxes::zyx,
                           .orientation = "LPS",
                           .grid = GridRule::field_of_view,
                           .spacing_mm = {1.5, 1.5, 1.5},
                           .shape = Shape{64, 96, 128},
                           .to_bytes = true,
                           .bytes_upper = 0.999,
                           .intensity = IntensityRule::quantile,
                           .quantiles = {0.1, 0.9},
                           .clip = true,
                           .epsilon = 0.5,
                           .largest_component = true,
                           .min_volume_ml = 0.25,
                           .connectivity = 6};
  EXPECT_EQ(parse_recipe(everything, "my.toml"), expected);
  EXPECT_EQ(parse_recipe(recipe_text(expected), "my.json"), expected);
}

TEST(ParseRecipe, reads_back_what_is_built_in) {
  for (const Recipe& recipe : builtin_recipes())
    EXPECT_EQ(parse_recipe(recipe_text(recipe), "x"), recipe) << recipe.name;
}

TEST(ParseRecipe, starts_from_a_built_in_one) {
  const Recipe found = parse_recipe("extends = \"arc-meshchop\"\nmin_volume_ml = 0.1\nshape = []",
                                    "a/model.recipe.toml");
  EXPECT_EQ(found.name, "model");
  EXPECT_EQ(found.grid, GridRule::zoom);
  EXPECT_EQ(found.min_volume_ml, 0.1);
  EXPECT_FALSE(found.shape);
}

TEST(ParseRecipe, tells_toml_and_json_by_content) {
  for (const char* text : {"clip = true", "{\"clip\": true}", "\n  {\"clip\": true}",
                           "\xEF\xBB\xBF"
                           "clip = true"})
    EXPECT_TRUE(parse_recipe(text, "any").clip) << text;
  EXPECT_EQ(parse_recipe("", "any"), (Recipe{.name = "any"}));
}

TEST(ParseRecipe, names_file_key_and_remedy) {
  EXPECT_EQ(refusal("spacing = 2"),
            "my.toml: there is no key 'spacing'; the keys are schema, name, "
            "extends, sha256, axes, orientation, grid, spacing_mm, shape, to_bytes, bytes_upper, "
            "intensity, quantiles, clip, epsilon, largest_component, min_volume_ml, connectivity, "
            "channels, volumes_are_channels, mean, standard_deviation, clip_values, window, "
            "overlap, window_weights, mirror, regions, threshold");
  EXPECT_EQ(refusal("orientaton = 'RAS'"),
            "my.toml: there is no key 'orientaton'; did you mean 'orientation'?");
  EXPECT_EQ(refusal("grid = 'zom'"),
            "my.toml: grid must be one of native, zoom, field_of_view, "
            "conform, not 'zom'; did you mean 'zoom'?");
  EXPECT_EQ(refusal("extends = 'brainchp'"),
            "my.toml: extends must be a built-in recipe (arc-meshchop, brainchop, "
            "brainchop-quantile, mindgrab, minmax, none), not 'brainchp'; did you mean "
            "'brainchop'?");
  EXPECT_EQ(refusal("clip = 1"), "my.toml: clip must be true or false");
  EXPECT_EQ(refusal("spacing_mm = 'one'"), "my.toml: spacing_mm must be a number");
  EXPECT_EQ(refusal("spacing_mm = 0"), "my.toml: spacing_mm must be greater than 0");
  EXPECT_EQ(refusal("spacing_mm = nan"), "my.toml: spacing_mm must be greater than 0");
  EXPECT_EQ(refusal("shape = [1.5, 2, 3]"), "my.toml: shape must be a whole number of 1 or more");
  EXPECT_THAT(refusal("shape = 256"), HasSubstr("shape must be three whole numbers such as"));
  EXPECT_THAT(refusal("quantiles = [0.5]"), HasSubstr("quantiles must be two numbers"));
  EXPECT_EQ(refusal("connectivity = 7"), "my.toml: connectivity must be 6, 18 or 26");
  EXPECT_EQ(refusal("schema = 'assay.recipe/9'"), "my.toml: schema must be \"assay.recipe/1\"");
  EXPECT_THAT(refusal("sha256 = 'abc'"),
              StartsWith("my.toml: sha256 is the hash of another recipe"));
  EXPECT_THAT(refusal("name = 1979-05-27"), StartsWith("my.toml: line 1, column 8: dates"));
  EXPECT_THAT(refusal("clip = true\nclip = tru"), StartsWith("my.toml: line 2, column "));
  EXPECT_THAT(refusal("{\"clip\": tru}"), AllOf(StartsWith("my.toml"), HasSubstr("line 1")));
  const std::string misnamed = "the name of a table starts with a letter, a digit, _, - or a quote";
  EXPECT_EQ(refusal("[.a]"), "my.toml: line 1, column 2: " + misnamed);
  EXPECT_EQ(refusal("clip = true\n [[ =a]]"), "my.toml: line 2, column 5: " + misnamed);
  EXPECT_EQ(refusal("[#a]"), "my.toml: line 1, column 2: " + misnamed);
  EXPECT_EQ(refusal("shape = [\n 8, # [.\n 9, 10]"), "");
  EXPECT_THAT(refusal("['post'.a]\nclip = true"), HasSubstr("there is no key 'post'"));
  for (const char* odd : {"[]", "[[", "clip = ]", "clip = ,", "clip ="})
    EXPECT_THAT(refusal(odd), StartsWith("my.toml: line 1, column ")) << odd;
  EXPECT_EQ(refusal("name = \"M\xC3\xBCller \\\" #\"  # \xC2\xB5m\nepsilon = 0 # 'x"), "");
  EXPECT_THAT(refusal("clip = true\n[post] \xCC\x82"),
              StartsWith("my.toml: line 2, column 8: letters other than a to z"));
  EXPECT_THAT(refusal("name = \"\"\"a\"\"\""), HasSubstr("text over several lines"));
  EXPECT_THAT(refusal("[post]\nclip = true"), HasSubstr("there is no key 'post'"));
}

TEST(RecipeHash, is_of_what_is_done_not_of_what_it_is_called) {
  Recipe recipe = {.name = "a"};
  const std::string none = recipe_sha256(recipe);
  recipe.name = "b";
  recipe.spacing_mm = {3, 1, 1};  // of no grid
  recipe.quantiles = {0.2, 1};    // of no scaling
  recipe.clip = true;
  recipe.bytes_upper = 0.5;
  recipe.connectivity = 6;  // of no components
  EXPECT_EQ(recipe_sha256(recipe), none);
  recipe.intensity = IntensityRule::quantile;
  EXPECT_NE(recipe_sha256(recipe), none);
}

TEST(RecipeHash, differs_for_every_field_that_matters) {
  std::set<std::string> hashes;
  const Recipe full = parse_recipe(everything, "my.toml");
  const auto without = [&](auto change) {
    Recipe recipe = full;
    change(recipe);
    hashes.insert(recipe_sha256(recipe));
  };
  without([](Recipe&) {});
  without([](Recipe& r) { r.axes = TensorAxes::xyz; });
  without([](Recipe& r) { r.orientation = ""; });
  without([](Recipe& r) { r.grid = GridRule::zoom; });
  without([](Recipe& r) { r.spacing_mm = {1.5, 1.5, 1}; });
  without([](Recipe& r) { r.shape.reset(); });
  without([](Recipe& r) { r.to_bytes = false; });
  without([](Recipe& r) { r.bytes_upper = 0.98; });
  without([](Recipe& r) { r.intensity = IntensityRule::min_max; });
  without([](Recipe& r) { r.quantiles = {0, 1}; });
  without([](Recipe& r) { r.clip = false; });
  without([](Recipe& r) { r.epsilon = 0; });
  without([](Recipe& r) { r.largest_component = false; });
  without([](Recipe& r) { r.min_volume_ml = 0; });
  without([](Recipe& r) { r.connectivity = 26; });
  EXPECT_EQ(hashes.size(), 15U);
}

/// A model of patches with several channels and regions.
constexpr std::string_view patches = R"(
name = "brats"
grid = "zoom"
spacing_mm = [1, 1, 2.5]
intensity = ["zscore_nonzero", "zscore", "fixed"]
channels = 3
volumes_are_channels = true
mean = [0, 0, 40]
standard_deviation = [1, 1, 30]
clip_values = [0, 1, 0, 1, -100, 240]
window = [96, 64, 32]
overlap = 0.25
window_weights = "constant"
mirror = "xz"
regions = ["TC=1,4", "WT=1, 2,4", "ET=4"]
threshold = 0.4
)";

TEST(ParseRecipe, reads_what_models_of_patches_need) {
  Recipe expected = {.name = "brats",
                     .grid = GridRule::zoom,
                     .spacing_mm = {1, 1, 2.5},
                     .channels = 3,
                     .volumes_are_channels = true};
  expected.channel_intensities = {IntensityRule::zscore_nonzero, IntensityRule::zscore,
                                  IntensityRule::fixed};
  expected.mean = {0, 0, 40};
  expected.standard_deviation = {1, 1, 30};
  expected.clip_values = {0, 1, 0, 1, -100, 240};
  expected.scores = {.window = Shape{96, 64, 32},
                     .overlap = 0.25,
                     .weights = WindowWeights::constant,
                     .mirror = {true, false, true},
                     .regions = {{"TC", {1, 4}}, {"WT", {1, 2, 4}}, {"ET", {4}}},
                     .threshold = 0.4};
  EXPECT_EQ(parse_recipe(patches, "my.toml"), expected);
  EXPECT_EQ(parse_recipe(recipe_text(expected), "my.json"), expected);
}

TEST(ParseRecipe, names_what_is_wrong_with_windows_channels_and_regions) {
  EXPECT_THAT(refusal("spacing_mm = [1, 2]"), HasSubstr("spacing_mm must be a number, or three"));
  EXPECT_THAT(refusal("intensity = ['none', 'zscore']"), HasSubstr("say how many with channels"));
  EXPECT_THAT(refusal("mean = [1, 2]\nchannels = 3"), HasSubstr("mean must be a number, or one"));
  EXPECT_THAT(refusal("standard_deviation = 0"), HasSubstr("standard_deviation must be a number "));
  EXPECT_THAT(refusal("clip_values = [2, 1]"), HasSubstr("clip_values must be two ascending"));
  EXPECT_THAT(refusal("window = [0, 1, 1]"), HasSubstr("window must be a whole number of 1"));
  EXPECT_EQ(refusal("overlap = 1"), "my.toml: overlap must be 0 or more, and below 1");
  EXPECT_THAT(refusal("mirror = 'xx'"), HasSubstr("mirror must be the letters of axes"));
  for (const char* wrong : {"'TC'", "'=1'", "'TC='", "'TC=0'", "'TC=256'", "'TC=a'"})
    EXPECT_THAT(refusal("regions = [" + std::string(wrong) + "]"),
                HasSubstr("regions must be texts such as"))
        << wrong;
  EXPECT_THAT(refusal("regions = ['A=1', 'B=2', 'C=1,2']"),
              HasSubstr("every label of C is also in a smaller region"));
  EXPECT_EQ(refusal("threshold = 1"), "my.toml: threshold must be between 0 and 1");
}

/// What caches and results were keyed by before recipes had windows and channels.
TEST(RecipeHash, stays_what_it_was_for_recipes_without_later_keys) {
  EXPECT_EQ(recipe_sha256(find_recipe("arc-meshchop")),
            "2f440ddd17eebcb07d64d3141dcb3d16a805c7cd19da108b25f27d0f5577da2f");
  EXPECT_NE(recipe_sha256(parse_recipe("window = [8, 8, 8]", "a")),
            recipe_sha256(parse_recipe("", "a")));
}

TEST(RecipeHash, differs_for_every_later_field_that_matters) {
  std::set<std::string> hashes;
  const Recipe full = parse_recipe(patches, "my.toml");
  const auto without = [&](auto change) {
    Recipe recipe = full;
    change(recipe);
    hashes.insert(recipe_sha256(recipe));
  };
  without([](Recipe&) {});
  without([](Recipe& r) { r.channel_intensities[0] = IntensityRule::none; });
  without([](Recipe& r) { r.volumes_are_channels = false; });
  without([](Recipe& r) { r.mean = {0}; });
  without([](Recipe& r) { r.standard_deviation = {1}; });
  without([](Recipe& r) { r.clip_values.clear(); });
  without([](Recipe& r) { r.scores.window.reset(); });
  without([](Recipe& r) { r.scores.overlap = 0.5; });
  without([](Recipe& r) { r.scores.weights = WindowWeights::gaussian; });
  without([](Recipe& r) { r.scores.mirror = {}; });
  without([](Recipe& r) { r.scores.regions.clear(); });
  without([](Recipe& r) { r.scores.threshold = 0.5; });
  EXPECT_EQ(hashes.size(), 12U);
}

TEST(FindRecipe, takes_names_then_files) {
  EXPECT_EQ(find_recipe("minmax").intensity, IntensityRule::min_max);
  const assay::test::TemporaryFolder folder;
  const auto path = folder / "own.toml";
  write_atomically(path, "clip = true");
  EXPECT_EQ(find_recipe(path.string()).name, "own");
  EXPECT_EQ(test::refusal([&] { find_recipe("arc-meschop"); }),
            "there is no recipe 'arc-meschop', built in (arc-meshchop, brainchop, "
            "brainchop-quantile, mindgrab, minmax, none) or as a file; did you mean "
            "'arc-meshchop'?");
}

TEST(RecipeBeside, prefers_the_one_that_names_the_model) {
  const assay::test::TemporaryFolder folder;
  const auto model = folder / "final.pt";
  EXPECT_FALSE(recipe_beside(model));
  write_atomically(folder / "recipe.json", "{}");
  EXPECT_EQ(recipe_beside(model), folder / "recipe.json");
  EXPECT_EQ(recipe_beside(folder.path()), folder / "recipe.json");
  write_atomically(folder / "final.recipe.toml", "");
  EXPECT_EQ(recipe_beside(model), folder / "final.recipe.toml");
  write_atomically(folder / "final.pt.recipe.json", "{}");
  EXPECT_EQ(recipe_beside(model), folder / "final.pt.recipe.json");
  write_atomically(folder / "final.pt.recipe.toml", "");
  EXPECT_THROW(recipe_beside(model), Error);
}

}  // namespace recipe_file_test
