// SPDX-License-Identifier: Apache-2.0
#include "assay/run/case_predictor.hpp"

#include "assay/io/file.hpp"
#include "assay/io/image.hpp"

namespace assay {
namespace {

/// Whether the model gets the image as it is stored, so that the file itself can stand for it.
bool leaves_untouched(const Recipe& recipe) {
  return recipe.grid == GridRule::native && recipe.orientation.empty() && !recipe.shape &&
         !recipe.to_bytes && recipe.intensity == IntensityRule::none;
}

/// How to walk an array so that its axes run by their indices, as a program would index it; images
/// keep the order of their file.
AxisMap index_order(const Grid& grid) {
  const Grid upright = {.shape = grid.shape, .affine = identity_affine};
  return grid.in_space ? AxisMap{} : axis_map(grid, upright);
}

Volume<float> walked(Volume<float> image, const AxisMap& map) {
  if (map.is_identity()) return image;
  Volume<float> out(reoriented(image.grid(), map));
  reorient(image.view(), map, out.voxels());
  return out;
}

}  // namespace

Prediction CasePredictor::inferred_from(const PredictorInput& input, bool with_logits) {
  const std::lock_guard turn(model_);
  return setup_.predictor.predict(input, {.executor = setup_.executor, .logits = with_logits});
}

PredictedCase CasePredictor::predicted(const std::filesystem::path& path, bool with_logits) {
  const std::string hash = sha256(MappedFile(path).bytes());
  const PredictionKey key = {setup_.model_sha256, setup_.recipe_sha256, hash};
  const Image image = read_image(path);
  const AxisMap map = index_order(image.grid());
  const Grid native = reoriented(image.grid(), map);
  if (const Grid model = model_grid(native, setup_.recipe); !with_logits)
    if (auto known = setup_.cache.find(key, model)) {
      ++remembered_;
      return {{native, model}, std::move(*known), {}, true, hash};
    }
  const Volume<float> voxels = walked(intensities(image), map);
  const Prepared input = prepared(voxels.view(), setup_.recipe, setup_.executor);
  Prediction prediction = inferred_from(
      {.image = input.image.view(),
       .file = leaves_untouched(setup_.recipe) ? absolute(path) : std::filesystem::path()},
      with_logits);
  ++inferred_;
  setup_.cache.keep(key, prediction.labels.view());
  return {input.placement, std::move(prediction.labels), std::move(prediction.logits), false, hash};
}

}  // namespace assay
