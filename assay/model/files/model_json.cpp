// SPDX-License-Identifier: Apache-2.0
/// assay.model/1: what a model is and what it costs.
#include "assay/base/json.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/files/model.hpp"

namespace assay::model {
namespace {

Json layer_json(const HiddenLayer& layer, std::size_t voxels) {
  Json out = {{"kernel", {3, 3, 3}},
              {"dilation", layer.dilation},
              {"inputs", layer.inputs},
              {"outputs", layer.outputs},
              {"normalisation", name(layer.normalisation)},
              {"batch_norm_folded", layer.has_folded_norm},
              {"activation", name(layer.activation)},
              {"parameters", layer.trainable},
              {"operations", operations(layer, voxels)}};
  if (layer.normalisation == Normalisation::group) out["groups"] = layer.groups;
  return out;
}

Json classifier_json(const Classifier& last, std::size_t voxels) {
  return {{"kernel", {1, 1, 1}},          {"dilation", 1},
          {"inputs", last.inputs},        {"outputs", last.classes},
          {"normalisation", "none"},      {"activation", "none"},
          {"parameters", last.trainable}, {"operations", operations(last, voxels)}};
}

}  // namespace

std::string model_text(const Model& model, const Shape& shape) {
  const Network& network = model.network;
  const std::size_t voxels = shape[0] * shape[1] * shape[2];
  Json layers = Json::array();
  for (const HiddenLayer& layer : network.hidden) layers.push_back(layer_json(layer, voxels));
  layers.push_back(classifier_json(network.classifier, voxels));
  const Json out = {{"schema", "assay.model/1"},
                    {"file", model.file},
                    {"format", model.format},
                    {"model_name", or_null(model.name)},
                    {"architecture_from", model.architecture},
                    {"backend", "meshnet"},
                    {"parameters", parameters(network)},
                    {"receptive_field", receptive_field(network)},
                    {"input_channels", 1},
                    {"classes", network.classifier.classes},
                    {"layers", layers},
                    {"weights_sha256", weights_sha256(network)},
                    {"network_sha256", network_sha256(network)},
                    {"cost",
                     {{"shape", {shape[0], shape[1], shape[2]}},
                      {"operations", operations(network, voxels)},
                      {"memory_bytes", prediction_bytes(network, shape)}}}};
  return to_text(out) + "\n";
}

}  // namespace assay::model
