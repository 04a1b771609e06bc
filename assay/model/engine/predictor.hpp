// SPDX-License-Identifier: Apache-2.0
/// What every back-end does: an image in, a class per voxel out, and its logits when asked for.
#pragma once

#include <filesystem>
#include <string>

#include "assay/image/volume.hpp"
#include "assay/model/engine/engine.hpp"

namespace assay::model {

/// An image as the model needs it.
struct PredictorInput {
  View<float> image;
  /// A file that holds exactly this image, for back-ends that work with files; "": there is none
  /// yet.
  std::filesystem::path file = {};
};

/// One prediction at a time; several predictors may work side by side.
class Predictor {
 public:
  virtual ~Predictor() = default;

  /// What kind it is and what it runs, for people: "meshnet", "onnx", "command".
  virtual std::string backend() const = 0;
  /// A hash of everything except the image that determines a prediction: equal hashes give equal
  /// predictions.
  virtual std::string sha256() const = 0;
  /// Labels on the grid of the image. `settings.logits` fills the logits too, where the back-end
  /// can. Throws Error naming what was wrong with this image, or with the answer to it.
  virtual Prediction predict(const PredictorInput& input, const PredictionSettings& settings) = 0;
};

}  // namespace assay::model
