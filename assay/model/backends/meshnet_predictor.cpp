// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/meshnet_predictor.hpp"

#include <utility>

#include "assay/base/file.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/files/model.hpp"

namespace assay::model {
namespace {

class MeshNetPredictor : public Predictor {
 public:
  MeshNetPredictor(Network network, TensorAxes axes)
      : engine_(std::move(network), {.axes = axes}),
        sha256_(
            assay::sha256("meshnet\naxes=" + std::string(axes == TensorAxes::zyx ? "zyx" : "xyz") +
                          "\nnetwork=" + network_sha256(engine_.network()) + "\n")) {}

  std::string backend() const override { return "meshnet"; }
  std::string sha256() const override { return sha256_; }

  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override {
    return engine_.predict(input.image, workspace_, settings);
  }

 private:
  MeshNetEngine engine_;
  PredictionWorkspace workspace_;
  std::string sha256_;
};

}  // namespace

std::unique_ptr<Predictor> meshnet_predictor(Network network, TensorAxes axes) {
  return std::make_unique<MeshNetPredictor>(std::move(network), axes);
}

}  // namespace assay::model
