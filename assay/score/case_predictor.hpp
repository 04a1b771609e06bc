// SPDX-License-Identifier: Apache-2.0
/// From an image file to the labels of a model, by recipe, back-end and cache.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "assay/executor.hpp"
#include "assay/model.hpp"
#include "assay/score/prediction_cache.hpp"

namespace assay::score {

/// A model, and how its input is prepared.
struct ModelSetup {
  model::Predictor& predictor;
  model::Recipe recipe;
  std::string recipe_sha256;
  PredictionCache cache{""};
  Executor executor{};         ///< any number of threads gives the same labels
  std::string model_sha256{};  ///< "": the predictor's own hash
  const std::atomic<bool>* stop =
      nullptr;  ///< once set, no prediction is begun, and Error is thrown instead
};

struct PredictedCase {
  model::Placement placement;
  Volume<std::uint8_t> labels;  ///< on the grid of the model, as it gave them
  std::vector<float> logits{};  ///< empty unless asked for
  bool from_cache = false;
  std::string image_sha256{};
  std::string warning{};  ///< what had to be assumed about the image; "": nothing
};

/// Predicts case after case. Several threads may call it. They read and prepare in parallel and
/// wait for each other only at the model, so one image is inferred while the next is being read and
/// the last one is being scored.
class CasePredictor {
 public:
  explicit CasePredictor(ModelSetup setup) : setup_(std::move(setup)) {
    if (setup_.model_sha256.empty()) setup_.model_sha256 = setup_.predictor.sha256();
  }

  const ModelSetup& setup() const { return setup_; }

  /// Predicts an image that has one file per channel, or all channels in one file. Throws an Error
  /// that says what is wrong with this image. Logits are never taken from the cache.
  PredictedCase predict(const std::vector<std::filesystem::path>& files, bool with_logits = false);

  /// How many files make up an image; 0: neither model nor recipe says.
  std::size_t files_per_image() const;

  /// How many predictions were taken from the cache, and how many were made.
  std::size_t remembered() const { return remembered_; }
  std::size_t inferred() const { return inferred_; }
  /// Why predictions could not be cached; "" when they could.
  std::string cache_trouble() const;

 private:
  /// Failing to cache a prediction does not make the prediction fail.
  void keep(const PredictionKey& key, View<std::uint8_t> labels);
  model::Prediction inferred_from(const model::PredictorInput& input, bool with_logits);
  void require_files(const std::vector<std::filesystem::path>& files) const;

  ModelSetup setup_;
  std::mutex model_;
  mutable std::mutex told_;
  std::string cache_trouble_;
  std::atomic<std::size_t> remembered_ = 0, inferred_ = 0;
};

}  // namespace assay::score
