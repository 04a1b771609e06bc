// SPDX-License-Identifier: Apache-2.0
#include "assay/score/case_predictor.hpp"

#include "assay/error.hpp"
#include "assay/image.hpp"

namespace assay::score {
namespace {

/// Whether the model gets the image as it is stored, so that the file itself can be used.
bool leaves_untouched(const model::Recipe& recipe) {
  return recipe.grid == model::GridRule::native && recipe.orientation.empty() && !recipe.shape &&
         !recipe.to_bytes && recipe.intensity == model::IntensityRule::none;
}

/// Other programs always get this format; images in any other format are rewritten for them.
bool is_nifti_file(const std::filesystem::path& path) {
  const std::string_view ending = image_ending(path.string());
  return ending == ".nii" || ending == ".nii.gz";
}

/// Whether it matters to a recipe where the voxels lie and how large they are.
bool depends_on_space(const model::Recipe& recipe) {
  return recipe.grid != model::GridRule::native || !recipe.orientation.empty() ||
         recipe.min_volume_ml > 0;
}

std::string assumed_of(const Grid& grid, const model::Recipe& recipe) {
  if (grid.in_space || !depends_on_space(recipe)) return "";
  return "the image is an array and has no grid: it was taken as RAS with voxels of 1 mm; give a "
         "NIfTI or NRRD file if that is wrong";
}

/// How to walk an array so that its axes run by their indices, as a program would index it; images
/// keep the order of their file.
AxisMap index_order(const Grid& grid) {
  const Grid upright = {.shape = grid.shape, .affine = identity_affine};
  return grid.in_space ? AxisMap{} : axis_map(grid, upright);
}

Volume<float> walked_image(Volume<float> image, const AxisMap& map) {
  if (map.is_identity()) return image;
  Volume<float> out(reoriented(image.grid(), map));
  reorient(image.view(), map, out.voxels());
  return out;
}

}  // namespace

model::Prediction CasePredictor::inferred_from(const model::PredictorInput& input,
                                               bool with_logits) {
  const std::lock_guard turn(model_);
  if (setup_.stop != nullptr && *setup_.stop) throw Error(Error::Kind::usage, "interrupted");
  return setup_.predictor.predict(input, {.executor = setup_.executor, .logits = with_logits});
}

void CasePredictor::keep(const PredictionKey& key, View<std::uint8_t> labels) try {
  setup_.cache.keep(key, labels);
} catch (const Error& e) {
  const std::lock_guard lock(told_);
  if (cache_trouble_.empty()) cache_trouble_ = e.what();
}

std::string CasePredictor::cache_trouble() const {
  const std::lock_guard lock(told_);
  return cache_trouble_;
}

PredictedCase CasePredictor::predict(const std::filesystem::path& path, bool with_logits) {
  const std::string hash = image_sha256(path);
  const PredictionKey key = {setup_.model_sha256, setup_.recipe_sha256, hash};
  const Image image = read_image(path);
  const AxisMap map = index_order(image.grid());
  const Grid native = reoriented(image.grid(), map);
  const std::string warning = assumed_of(image.grid(), setup_.recipe);
  if (const Grid model = model::model_grid(native, setup_.recipe); !with_logits)
    if (auto known = setup_.cache.find(key, model)) {
      ++remembered_;
      return {{native, model}, std::move(*known), {}, true, hash, warning};
    }
  const Volume<float> voxels = walked_image(intensities(image), map);
  const model::Prepared input = model::prepared(voxels.view(), setup_.recipe, setup_.executor);
  model::Prediction prediction = inferred_from(
      {.image = input.image.view(),
       .file = leaves_untouched(setup_.recipe) && is_nifti_file(path) ? absolute(path)
                                                                      : std::filesystem::path()},
      with_logits);
  ++inferred_;
  keep(key, prediction.labels.view());
  return {.placement = input.placement,
          .labels = std::move(prediction.labels),
          .logits = std::move(prediction.logits),
          .image_sha256 = hash,
          .warning = warning};
}

}  // namespace assay::score
