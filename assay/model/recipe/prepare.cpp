// SPDX-License-Identifier: Apache-2.0
/// Runs the steps of a recipe in their order, and their inverse for labels.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "assay/model.hpp"
#include "assay/model/recipe/grids.hpp"
#include "assay/model/recipe/intensity.hpp"
#include "assay/model/recipe/resample.hpp"

namespace assay::model {
namespace {

/// Affines that went through a file come back in single precision, so grids may differ this much.
constexpr double same_grid_mm = 1e-3;

template <class T>
Volume<T> walked(View<T> from, const AxisMap& map) {
  Volume<T> out(reoriented(from.grid, map));
  reorient(from, map, out.voxels());
  return out;
}

/// The oriented image on the model's grid. Voxels are copied when the grids are the same.
template <class T>
Volume<T> placed(View<T> oriented, const Grid& model, const Recipe& recipe,
                 const Executor& executor) {
  const bool same = recipe.grid == GridRule::native && model == oriented.grid;
  if (same) return {model, {oriented.voxels.begin(), oriented.voxels.end()}};
  return resampled(oriented, to_model(oriented.grid, model, recipe), executor);
}

bool is_byte(float value) {
  return value >= 0 && value <= 255 && value == std::nearbyint(value);
}

/// An image that is already conformed stays as it is: scaling its bytes again would change what the
/// model sees.
bool is_conformed(View<float> image, const Grid& model, const Recipe& recipe) {
  const Grid oriented = reoriented(image.grid, orienting(image.grid, recipe));
  return greatest_corner_shift_mm(oriented, model) <= same_grid_mm &&
         std::ranges::all_of(image.voxels, is_byte);
}

}  // namespace

Prepared prepared(View<float> image, const Recipe& recipe, const Executor& executor) {
  const Grid model = model_grid(image.grid, recipe);
  const IntensityRange range = range_of(image, executor);
  const AxisMap map = orienting(image.grid, recipe);
  const bool scales = recipe.to_bytes && !is_conformed(image, model, recipe);
  std::optional<Volume<float>> copy;  // only when voxels move or change
  if (scales || !map.is_identity()) copy = walked(image, map);
  if (scales) scale_to_bytes(copy->voxels(), range, recipe.bytes_upper);
  Volume<float> out = placed(copy ? std::as_const(*copy).view() : image, model, recipe, executor);
  copy.reset();
  if (recipe.to_bytes) round_values(out.voxels());
  normalise(out, recipe, executor);
  return {std::move(out), {image.grid, model}};
}

Recipe of_channel(Recipe recipe, std::size_t channel) {
  const auto pick = [&](std::vector<double>& of, std::size_t each) {
    if (of.size() <= each) return;
    const auto first = of.begin() + static_cast<std::ptrdiff_t>(channel * each);
    of = std::vector<double>(first, first + static_cast<std::ptrdiff_t>(each));
  };
  if (channel < recipe.channel_intensities.size())
    recipe.intensity = recipe.channel_intensities[channel];
  pick(recipe.mean, 1);
  pick(recipe.standard_deviation, 1);
  pick(recipe.clip_values, 2);
  recipe.channel_intensities.clear();
  return recipe;
}

Volume<std::uint8_t> prepared_labels(View<std::uint8_t> labels, const Recipe& recipe,
                                     const Executor& executor) {
  const Grid model = model_grid(labels.grid, recipe);
  const Volume<std::uint8_t> oriented = walked(labels, orienting(labels.grid, recipe));
  return placed(oriented.view(), model, recipe, executor);
}

Volume<std::uint8_t> restored(View<std::uint8_t> labels, const Placement& placement,
                              const Recipe& recipe, const Executor& executor) {
  if (!(greatest_corner_shift_mm(labels.grid, placement.model) <= same_grid_mm))
    throw Error(Error::Kind::input, "labels on another grid (" + describe(labels.grid) +
                                        ") than the model was given (" + describe(placement.model) +
                                        ")");
  const Volume<std::uint8_t> clean = cleaned(labels, recipe);
  const Grid oriented = reoriented(placement.native, orienting(placement.native, recipe));
  const Volume<std::uint8_t> back =
      resampled(clean.view(), to_native(oriented, placement.model, recipe), executor);
  Volume<std::uint8_t> out(placement.native);
  reorient(back.view(), axis_map(oriented, placement.native), out.voxels());
  return out;
}

}  // namespace assay::model
