// SPDX-License-Identifier: Apache-2.0
#include "assay/score/prediction_cache.hpp"

#include <cstdlib>

#include "assay/base/durable.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// To be changed when the meaning of cached files changes.
constexpr std::string_view generation = "assay.prediction/1\n";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path PredictionCache::file(const PredictionKey& key) const {
  std::string text(generation);
  for (const std::string& part : {key.model_sha256, key.recipe_sha256, key.image_sha256})
    text += part + '\n';
  const std::string name = sha256(text);
  return folder_ / name.substr(0, 2) / (name + ".nii.gz");
}

std::optional<Volume<std::uint8_t>> PredictionCache::find(const PredictionKey& key,
                                                          const Grid& grid) const try {
  std::error_code unreadable;
  if (folder_.empty() || !fs::exists(file(key), unreadable)) return std::nullopt;
  const Image image = read_image(file(key));
  if (image.header().type != VoxelType::u8 || image.grid().shape != grid.shape) return std::nullopt;
  const auto* first = reinterpret_cast<const std::uint8_t*>(image.voxels().data());
  return Volume<std::uint8_t>(grid, {first, first + grid.size()});
} catch (const Error&) {
  return std::nullopt;
}

void PredictionCache::keep(const PredictionKey& key, View<std::uint8_t> labels) const {
  if (folder_.empty()) return;
  make_folder(file(key).parent_path());
  write_image(file(key), labels);
}

fs::path usual_cache_folder() {
  if (const std::string own = variable("ASSAY_CACHE"); !own.empty()) return own;
  if (const std::string all = variable("XDG_CACHE_HOME"); !all.empty())
    return fs::path(all) / "assay/predictions";
  const std::string home = variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache/assay/predictions";
}

}  // namespace assay::score
