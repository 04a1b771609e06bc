// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/recipe_report.hpp"

#include <fmt/format.h>

#include <array>

#include "assay/model/recipe/recipe_file.hpp"

namespace assay::report {
namespace {

constexpr std::array grid_texts = {
    "the image's own",
    "{:.6g} mm, corner voxel to corner voxel (scipy.ndimage.zoom)",
    "{:.6g} mm along the image's axes, around its centre voxel (nibabel conform)",
    "{:.6g} mm along the scanner's axes, around the image's centre (mri_convert --conform)",
};

std::string grid_text(const model::Recipe& recipe) {
  return fmt::format(fmt::runtime(grid_texts[static_cast<std::size_t>(recipe.grid)]),
                     recipe.spacing_mm);
}

std::string shape_text(const model::Recipe& recipe) {
  if (!recipe.shape) return "as it comes";
  const Shape& s = *recipe.shape;
  return fmt::format("{}x{}x{}, cut or padded with zeros around the centre", s[0], s[1], s[2]);
}

std::string bytes_text(const model::Recipe& recipe) {
  if (!recipe.to_bytes) return "no";
  return fmt::format(
      "0 to 255, from the minimum to the value below which {:.6g} % of the nonzero voxels lie",
      100 * recipe.bytes_upper);
}

std::string intensity_text(const model::Recipe& recipe) {
  if (recipe.intensity == model::IntensityRule::none) return "as they are";
  const std::string low = recipe.intensity == model::IntensityRule::min_max
                              ? "min"
                              : fmt::format("q{:.6g}", recipe.quantiles[0]);
  const std::string high = recipe.intensity == model::IntensityRule::min_max
                               ? "max"
                               : fmt::format("q{:.6g}", recipe.quantiles[1]);
  return fmt::format("(value - {}) / ({} - {}{}){}", low, high, low,
                     recipe.epsilon > 0 ? fmt::format(" + {:.6g}", recipe.epsilon) : "",
                     recipe.clip ? ", clipped to 0 ... 1" : "");
}

std::string components_text(const model::Recipe& recipe) {
  if (!recipe.largest_component && recipe.min_volume_ml == 0) return "all kept";
  std::string text = recipe.largest_component ? "the largest of each class" : "all";
  if (recipe.min_volume_ml > 0) text += fmt::format(" of at least {:.6g} ml", recipe.min_volume_ml);
  return text + fmt::format(", {} neighbours", recipe.connectivity);
}

}  // namespace

std::string recipe_report(const model::Recipe& recipe) {
  const std::array<std::pair<const char*, std::string>, 8> lines = {{
      {"orientation", recipe.orientation.empty() ? "as stored" : recipe.orientation},
      {"grid", grid_text(recipe)},
      {"shape", shape_text(recipe)},
      {"bytes", bytes_text(recipe)},
      {"intensities", intensity_text(recipe)},
      {"tensor axes", recipe.axes == model::TensorAxes::xyz ? "xyz" : "zyx"},
      {"components", components_text(recipe)},
      {"sha256", model::recipe_sha256(recipe)},
  }};
  std::string out = recipe.name + '\n';
  for (const auto& [what, text] : lines) out += fmt::format("  {:<13}{}\n", what, text);
  return out;
}

std::string builtin_recipes_report() {
  std::string out;
  for (const model::Recipe& recipe : model::builtin_recipes())
    out += fmt::format("{:<20}grid {}; intensities {}\n", recipe.name, grid_text(recipe),
                       intensity_text(recipe));
  return out;
}

std::string placement_report(const model::Placement& placement) {
  return fmt::format("from  {}\nto    {}\n", describe(placement.native), describe(placement.model));
}

}  // namespace assay::report
