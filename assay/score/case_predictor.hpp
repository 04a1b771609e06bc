// SPDX-License-Identifier: Apache-2.0
/// From an image file to the labels of a model: recipe, back-end, cache.
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

/// A model and how it is fed.
struct ModelSetup {
  model::Predictor& predictor;
  model::Recipe recipe;
  std::string recipe_sha256;
  PredictionCache cache{""};
  Executor executor{};                      ///< any number of threads gives the same labels
  std::string model_sha256{};               ///< "": what the predictor says of itself
  const std::atomic<bool>* stop = nullptr;  ///< once set, no prediction is begun: Error instead
};

struct PredictedCase {
  model::Placement placement;
  Volume<std::uint8_t> labels;  ///< on the grid of the model, as the model said
  std::vector<float> logits{};  ///< empty unless asked for
  bool from_cache = false;
  std::string image_sha256{};
  std::string warning{};  ///< what had to be assumed of the image; "": nothing
};

/// Predicts case after case. Several threads may call it: they read and prepare side by side, and
/// wait for each other only at the model, so one image is inferred while the next is being read and
/// the last is being scored.
class CasePredictor {
 public:
  explicit CasePredictor(ModelSetup setup) : setup_(std::move(setup)) {
    if (setup_.model_sha256.empty()) setup_.model_sha256 = setup_.predictor.sha256();
  }

  const ModelSetup& setup() const { return setup_; }

  /// Of an image with one file for each channel, or with all of them in one. Throws Error naming
  /// what is wrong with this image. Logits are never taken from the cache.
  PredictedCase predict(const std::vector<std::filesystem::path>& files, bool with_logits = false);

  /// How many files make an image; 0: neither model nor recipe says.
  std::size_t files_per_image() const;

  /// How many predictions were taken from the cache, and how many were made.
  std::size_t remembered() const { return remembered_; }
  std::size_t inferred() const { return inferred_; }
  /// Why predictions could not be kept; "" when they could.
  std::string cache_trouble() const;

 private:
  /// A prediction that cannot be kept is a prediction all the same.
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
