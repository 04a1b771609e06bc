// SPDX-License-Identifier: Apache-2.0
/// A cache of earlier predictions, so that nothing is inferred twice.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "assay/volume.hpp"

namespace assay::score {

/// Everything that determines a prediction.
struct PredictionKey {
  std::string model_sha256, recipe_sha256, image_sha256;
};

/// A folder of label maps on the grid of the model, one small file per key. Safe for any number of
/// processes: files appear complete, and files of the same name have the same content.
class PredictionCache {
 public:
  /// "": caches nothing.
  explicit PredictionCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The cached labels for this key on this grid. A damaged file counts as absent.
  std::optional<Volume<std::uint8_t>> find(const PredictionKey& key, const Grid& grid) const;

  /// Throws Error::io when the folder cannot be written.
  void keep(const PredictionKey& key, View<std::uint8_t> labels) const;

 private:
  std::filesystem::path file(const PredictionKey& key) const;

  std::filesystem::path folder_;
};

/// The user's cache folder: $ASSAY_CACHE, or assay/predictions below $XDG_CACHE_HOME or ~/.cache;
/// "" when there is no home.
std::filesystem::path usual_cache_folder();

}  // namespace assay::score
