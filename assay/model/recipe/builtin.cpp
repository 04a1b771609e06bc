// SPDX-License-Identifier: Apache-2.0
/// The built-in recipes, and the rules that every recipe must follow.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/model.hpp"
#include "assay/model/recipe/regions.hpp"

namespace assay::model {
namespace {

constexpr Shape cube = {256, 256, 256};

/// brainchop's models get images as `mri_convert --conform` makes them. Of each class only the
/// largest component is kept.
Recipe brainchop(const char* name, const std::array<double, 2>& quantiles) {
  return {.name = name,
          .orientation = "LIA",
          .grid = GridRule::conform,
          .shape = cube,
          .to_bytes = true,
          .intensity = quantiles[1] < 1 ? IntensityRule::quantile : IntensityRule::min_max,
          .quantiles = quantiles,
          .largest_component = true};
}

/// Prepares images as brainchop's own tinygrad program does for every model.
Recipe mindgrab() {
  Recipe out = brainchop("mindgrab", {0.02, 0.98});
  out.clip = true;
  out.epsilon = 1e-3;
  return out;
}

bool is_orientation(const std::string& letters) {
  if (letters.size() != 3) return false;
  return std::ranges::all_of(std::array{"LR", "PA", "IS"}, [&](const char* ends) {
    return std::ranges::count_if(letters, [&](char c) { return c == ends[0] || c == ends[1]; }) ==
           1;
  });
}

struct Rule {
  bool (*holds)(const Recipe& recipe);
  const char* otherwise;
};

bool fits(const Shape& shape) {
  constexpr double most = 1 << 30;
  double voxels = 1;
  for (const std::size_t size : shape) voxels *= static_cast<double>(size);
  return voxels >= 1 && voxels <= most;
}

constexpr std::size_t most_channels = 256;

/// Whether a list with this many entries is empty or has one for each channel.
bool fits_channels(const Recipe& recipe, std::size_t entries) {
  return entries == 0 || entries == recipe.channels;
}

bool is_one_or_each(const Recipe& recipe, const std::vector<double>& numbers, std::size_t each) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }) &&
         (numbers.size() == each || (!numbers.empty() && numbers.size() == recipe.channels * each));
}

bool ascends(const Recipe& recipe) {
  for (std::size_t i = 0; i + 1 < recipe.clip_values.size(); i += 2)
    if (!(recipe.clip_values[i] < recipe.clip_values[i + 1])) return false;
  return true;
}

constexpr Rule recipe_rules[] = {
    {[](const Recipe& r) { return r.orientation.empty() || is_orientation(r.orientation); },
     "orientation must be three letters, one of L R, one of P A and one of I S, such as \"RAS\""},
    {[](const Recipe& r) {
       return std::ranges::all_of(r.spacing_mm, [](double s) { return s > 0 && std::isfinite(s); });
     },
     "spacing_mm must be greater than 0"},
    {[](const Recipe& r) { return !r.shape || fits(*r.shape); },
     "shape must be three whole numbers of 1 or more, with at most 2^30 voxels in all"},
    {[](const Recipe& r) { return r.bytes_upper > 0 && r.bytes_upper <= 1; },
     "bytes_upper must be greater than 0 and at most 1"},
    {[](const Recipe& r) {
       return r.quantiles[0] >= 0 && r.quantiles[0] < r.quantiles[1] && r.quantiles[1] <= 1;
     },
     "quantiles must be two ascending numbers from 0 to 1, such as [0.02, 0.98]"},
    {[](const Recipe& r) { return r.epsilon >= 0 && std::isfinite(r.epsilon); },
     "epsilon must be 0 or more"},
    {[](const Recipe& r) { return r.min_volume_ml >= 0 && r.min_volume_ml <= 1e6; },
     "min_volume_ml must be 0 or more, and at most a million"},
    {[](const Recipe& r) {
       return r.connectivity == 6 || r.connectivity == 18 || r.connectivity == 26;
     },
     "connectivity must be 6, 18 or 26"},
    {[](const Recipe& r) { return r.channels <= most_channels; }, "channels must be 1 to 256"},
    {[](const Recipe& r) { return fits_channels(r, r.channel_intensities.size()); },
     "intensity must be one word, or one for each of the channels; say how many with channels"},
    {[](const Recipe& r) { return is_one_or_each(r, r.mean, 1); },
     "mean must be a number, or one for each of the channels; say how many with channels"},
    {[](const Recipe& r) {
       return is_one_or_each(r, r.standard_deviation, 1) &&
              std::ranges::all_of(r.standard_deviation, [](double x) { return x > 0; });
     },
     "standard_deviation must be a number above 0, or one for each of the channels; say how many "
     "with channels"},
    {[](const Recipe& r) {
       return r.clip_values.empty() || (is_one_or_each(r, r.clip_values, 2) && ascends(r));
     },
     "clip_values must be two ascending numbers, or two for each of the channels"},
};

struct ScoreRule {
  bool (*holds)(const ScoreRules& rules);
  const char* otherwise;
};

constexpr ScoreRule score_rules[] = {
    {[](const ScoreRules& r) { return !r.window || fits(*r.window); },
     "window must be three whole numbers of 1 or more, with at most 2^30 voxels in all"},
    {[](const ScoreRules& r) { return r.overlap >= 0 && r.overlap < 1; },
     "overlap must be 0 or more, and below 1"},
    {[](const ScoreRules& r) { return r.threshold > 0 && r.threshold < 1; },
     "threshold must be between 0 and 1"},
};

}  // namespace

std::span<const Named<WindowWeights>> window_weight_names() {
  static constexpr Named<WindowWeights> names[] = {{"gaussian", WindowWeights::gaussian},
                                                   {"constant", WindowWeights::constant}};
  return names;
}

std::span<const Recipe> builtin_recipes() {
  static const std::array<Recipe, 6> table = {
      Recipe{.name = "arc-meshchop",
             .orientation = "RAS",
             .grid = GridRule::zoom,
             .shape = cube,
             .intensity = IntensityRule::min_max},
      brainchop("brainchop", {0, 1}),
      brainchop("brainchop-quantile", {0.05, 0.95}),
      mindgrab(),
      Recipe{.name = "minmax", .intensity = IntensityRule::min_max},
      Recipe{.name = "none"},
  };
  return table;
}

void require_valid(const Recipe& recipe) {
  for (const Rule& rule : recipe_rules)
    if (!rule.holds(recipe)) throw Error(Error::Kind::input, rule.otherwise);
  require_valid(recipe.scores);
}

void require_valid(const ScoreRules& rules) {
  for (const ScoreRule& rule : score_rules)
    if (!rule.holds(rules)) throw Error(Error::Kind::input, rule.otherwise);
  painting_order(rules.regions);
}

}  // namespace assay::model
