// SPDX-License-Identifier: Apache-2.0
#include "assay/score/case_predictor.hpp"

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/volumes.hpp"
#include "assay/score/channels.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// Whether the model gets the image as it is stored, so that the file itself can be used.
bool leaves_untouched(const model::Recipe& recipe) {
  return recipe.grid == model::GridRule::native && recipe.orientation.empty() && !recipe.shape &&
         !recipe.to_bytes && recipe.intensity == model::IntensityRule::none &&
         recipe.channel_intensities.empty() && !recipe.volumes_are_channels;
}

/// Other programs always get this format. Images in any other format are rewritten for them.
bool is_nifti_file(const std::filesystem::path& path) {
  const std::string_view ending = image_ending(path.string());
  return ending == ".nii" || ending == ".nii.gz";
}

/// Whether the result of a recipe depends on where the voxels lie and how large they are.
bool depends_on_space(const model::Recipe& recipe) {
  return recipe.grid != model::GridRule::native || !recipe.orientation.empty() ||
         recipe.min_volume_ml > 0;
}

std::string assumed_of(const Grid& grid, const model::Recipe& recipe) {
  if (grid.in_space || !depends_on_space(recipe)) return "";
  return "the image is an array and has no grid: it was taken as RAS with voxels of 1 mm; give a "
         "NIfTI or NRRD file if that is wrong";
}

/// How to reorder an array so that its axes run by index, as a program would index it. Images keep
/// the order of their file.
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

/// The files of an image, and how its channels are stored in them.
struct StoredImage {
  std::vector<Image> images;
  bool volumes = false;  ///< one file has all channels

  std::size_t channels() const {
    return volumes ? images.front().header().channels : images.size();
  }
  Volume<float> channel(std::size_t number) const {
    return volumes && channels() > 1 ? intensities(one_volume(images.front(), number + 1, Buffer()))
                                     : intensities(images[volumes ? 0 : number]);
  }
};

/// Throws unless a channel lies where the first one does, as far as the files tell.
void require_same_grid(const Grid& grid, const fs::path& file, const Grid& first,
                       const fs::path& first_file) {
  constexpr double largest_shift = 0.1;  // of a voxel
  const double limit_mm = largest_shift * std::ranges::min(spacing_mm(first));
  if (greatest_corner_shift_mm(grid, first) <= limit_mm) return;
  throw Error(Error::Kind::input,
              "the channels are on different grids: " + first_file.filename().string() + " on " +
                  describe(first) + ", " + file.filename().string() + " on " + describe(grid) +
                  "; resample them onto one grid first");
}

StoredImage read_stored(const std::vector<fs::path>& files, const model::Recipe& recipe) {
  StoredImage out = {.images = {}, .volumes = recipe.volumes_are_channels};
  for (const fs::path& file : files) {
    out.images.push_back(read_image(file, {}, out.volumes ? Volumes::any : Volumes::one));
    require_same_grid(out.images.back().grid(), file, out.images.front().grid(), files.front());
  }
  if (recipe.channels != 0 && out.channels() != recipe.channels)
    throw Error(Error::Kind::input, files.front(),
                "has " + counted(out.channels(), "volume") + ", but the recipe says " +
                    counted(recipe.channels, "channel"));
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

std::size_t CasePredictor::files_per_image() const {
  const model::Recipe& recipe = setup_.recipe;
  if (recipe.volumes_are_channels) return 1;
  return recipe.channels != 0 ? recipe.channels : setup_.predictor.channels();
}

void CasePredictor::require_files(const std::vector<fs::path>& files) const {
  const std::size_t wanted = files_per_image();
  if (wanted == 0 || wanted == files.size()) return;
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const fs::path& file : files) names.push_back(file.filename().string());
  throw Error(Error::Kind::input,
              "the image has " + counted(files.size(), "channel") + " (" + joined(names) +
                  "), but the model takes " + std::to_string(wanted) +
                  "; give one file for each, such as case_0000.nii.gz and case_0001.nii.gz");
}

PredictedCase CasePredictor::predict(const std::vector<fs::path>& files, bool with_logits) {
  require_files(files);
  const std::string hash = channels_sha256(files);
  const PredictionKey key = {setup_.model_sha256, setup_.recipe_sha256, hash};
  const StoredImage stored = read_stored(files, setup_.recipe);
  const Grid& grid = stored.images.front().grid();
  const AxisMap map = index_order(grid);
  const Grid native = reoriented(grid, map);
  const std::string warning = assumed_of(grid, setup_.recipe);
  if (const Grid model = model::model_grid(native, setup_.recipe); !with_logits)
    if (auto known = setup_.cache.find(key, model)) {
      ++remembered_;
      return {{native, model}, std::move(*known), {}, true, hash, warning};
    }
  std::vector<model::Prepared> channels;
  for (std::size_t c = 0; c < stored.channels(); ++c) {
    const Volume<float> voxels = walked_image(stored.channel(c), map);
    channels.push_back(
        model::prepared(voxels.view(), model::of_channel(setup_.recipe, c), setup_.executor));
  }
  model::PredictorInput input;
  for (const model::Prepared& channel : channels) input.channels.push_back(channel.image.view());
  if (leaves_untouched(setup_.recipe) && std::ranges::all_of(files, is_nifti_file))
    for (const fs::path& file : files) input.files.push_back(absolute(file));
  model::Prediction prediction = inferred_from(input, with_logits);
  ++inferred_;
  keep(key, prediction.labels.view());
  return {.placement = channels.front().placement,
          .labels = std::move(prediction.labels),
          .logits = std::move(prediction.logits),
          .image_sha256 = hash,
          .warning = warning};
}

}  // namespace assay::score
