// SPDX-License-Identifier: Apache-2.0
/// Predictions that were made before: nothing is inferred twice.
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
/// processes: files appear whole, and those of the same name are the same.
class PredictionCache {
 public:
  /// "": keeps nothing.
  explicit PredictionCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// What is kept for this key on this grid. A damaged file counts as absent.
  std::optional<Volume<std::uint8_t>> find(const PredictionKey& key, const Grid& grid) const;

  /// Throws Error::io when the folder cannot be written.
  void keep(const PredictionKey& key, View<std::uint8_t> labels) const;

 private:
  std::filesystem::path file(const PredictionKey& key) const;

  std::filesystem::path folder_;
};

/// Where this user's programs keep what they can compute again: $ASSAY_CACHE, or assay/predictions
/// below $XDG_CACHE_HOME or ~/.cache; "" when there is no home.
std::filesystem::path usual_cache_folder();

}  // namespace assay::score
