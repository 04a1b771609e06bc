// SPDX-License-Identifier: Apache-2.0
/// TensorFlow.js layer models: a model.json that lists Keras layers, and files of raw numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/model/engine/builder.hpp"
#include "assay/model/files/model.hpp"
#include "assay/model/files/tensors.hpp"

namespace assay::model {
namespace {

std::vector<std::size_t> shape_of(const Json& list, const std::string& where) {
  std::vector<std::size_t> out;
  for (const Json& entry : elements(list)) {
    if (!entry.is_number_unsigned())
      refuse_part(where, "a size is not a whole number of 0 or more");
    out.push_back(entry.get<std::size_t>());
  }
  return out;
}

/// The numbers of the weight files by name.
using Weights = std::map<std::string, StoredTensor>;

Weights weights_of(const Json& model, std::span<const std::byte> bytes, const std::string& file) {
  Weights out;
  for (const Json& group : elements(member(model, "weightsManifest")))
    for (const Json& entry : elements(member(group, "weights"))) {
      StoredTensor tensor = {.name = text_of(member(entry, "name"))};
      const std::string where = "weight '" + tensor.name + "'";
      tensor.shape = shape_of(member(entry, "shape"), where);
      if (text_of(member(entry, "dtype")) != "float32" || !member(entry, "quantization").is_null())
        refuse_part(where, "is not plain float32; convert the model again without quantization");
      const std::size_t count = element_count(tensor.shape);
      if (count > bytes.size() / sizeof(float))
        refuse_part(where,
                    fmt::format("of shape {} needs more than the {} bytes that are left in the "
                                "weight files; they may be cut off",
                                shape_text(tensor.shape), bytes.size()));
      tensor.bytes = bytes.first(count * sizeof(float));
      bytes = bytes.subspan(count * sizeof(float));
      out[tensor.name] = tensor;
    }
  if (!bytes.empty())
    refuse(file, fmt::format("its weight files have {} bytes more than it lists", bytes.size()));
  return out;
}

/// A layer of the list while the network is put together.
struct KerasLayer {
  std::string name, where;
  const Json& config;
  const Weights& weights;

  const StoredTensor& weight(const std::string& part) const {
    const auto found = weights.find(name + "/" + part);
    if (found == weights.end())
      refuse_part(where, "the weight '" + name + "/" + part + "' is missing");
    return found->second;
  }
  std::vector<float> numbers(const std::string& part, const std::string& flag) const {
    const Json& uses = member(config, flag);
    const bool is_off = uses.is_boolean() && !uses.get<bool>();
    return is_off ? std::vector<float>{} : floats(weight(part));
  }
};

/// [depth][height][width][input][output] into [output][input][depth][height][width].
std::vector<float> transposed(const StoredTensor& kernel) {
  const std::vector<float> in = floats(kernel);
  const std::size_t inputs = kernel.shape[3], outputs = kernel.shape[4];
  const std::size_t taps = kernel.shape[0] * kernel.shape[1] * kernel.shape[2];
  std::vector<float> out(in.size());
  for (std::size_t t = 0; t < taps; ++t)
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t o = 0; o < outputs; ++o)
        out[(o * inputs + i) * taps + t] = in[(t * inputs + i) * outputs + o];
  return out;
}

/// The number that a list holds three times; `otherwise` when the list is absent.
std::size_t thrice(const KerasLayer& layer, const std::string& key, std::size_t otherwise) {
  const std::vector<std::size_t> found = shape_of(member(layer.config, key), layer.where);
  if (found.empty()) return otherwise;
  if (found.size() != 3 || found[0] != found[1] || found[1] != found[2])
    refuse_part(layer.where, key + " is not the same along all axes");
  return found[0];
}

void add_activation(const KerasLayer& layer, NetworkBuilder& builder) {
  const std::string name = text_of(member(layer.config, "activation"));
  if (name.empty() || name == "linear") return;
  if (name == "softmax" && builder.has_classifier())
    return;  // it does not change which class is the largest
  try {
    builder.add(activation(name), layer.name);
  } catch (const Error& e) {
    refuse_part(layer.where, e.what());
  }
}

void add_convolution(const KerasLayer& layer, NetworkBuilder& builder) {
  struct Fixed {
    const char* key;
    Json value;
  };
  for (const auto& [key, value] :
       {Fixed{"padding", "same"}, Fixed{"data_format", "channels_last"}, Fixed{"groups", 1}})
    if (const Json& found = member(layer.config, key); !found.is_null() && found != value)
      refuse_part(layer.where,
                  fmt::format("{} is {}; only {} can be run", key, found.dump(), value.dump()));
  if (thrice(layer, "strides", 1) != 1) refuse_part(layer.where, "its strides are not 1");
  const StoredTensor& kernel = layer.weight("kernel");
  if (kernel.shape.size() != 5 || kernel.shape[0] != kernel.shape[1] ||
      kernel.shape[1] != kernel.shape[2])
    refuse_part(layer.where, "its kernel has the shape " + shape_text(kernel.shape));
  builder.add(FileConvolution{.name = layer.name,
                              .outputs = kernel.shape[4],
                              .inputs = kernel.shape[3],
                              .side = kernel.shape[0],
                              .dilation = thrice(layer, "dilation_rate", 1),
                              .weights = transposed(kernel),
                              .bias = layer.numbers("bias", "use_bias")});
  add_activation(layer, builder);
}

void add_batch_normalisation(const KerasLayer& layer, NetworkBuilder& builder) {
  const Json& epsilon = member(layer.config, "epsilon");
  builder.add(
      FileBatchNormalisation{.name = layer.name,
                             .scale = layer.numbers("gamma", "scale"),
                             .shift = layer.numbers("beta", "center"),
                             .mean = floats(layer.weight("moving_mean")),
                             .variance = floats(layer.weight("moving_variance")),
                             .epsilon = epsilon.is_number() ? epsilon.get<double>() : 1e-3});
}

void add_nothing(const KerasLayer&, NetworkBuilder&) {}

struct LayerClass {
  std::string_view name;
  void (*add)(const KerasLayer& layer, NetworkBuilder& builder);
};

constexpr std::array layer_classes = {LayerClass{"InputLayer", add_nothing},
                                      LayerClass{"Conv3D", add_convolution},
                                      LayerClass{"Activation", add_activation},
                                      LayerClass{"BatchNormalization", add_batch_normalisation},
                                      LayerClass{"Dropout", add_nothing},
                                      LayerClass{"SpatialDropout3D", add_nothing}};

/// The name of the layer from which another takes its voxels, as in [[["name", 0, 0, {}]]]; "" when
/// there is none.
std::string source_of(const Json& layer, const std::string& file) {
  const auto& nodes = elements(member(layer, "inbound_nodes"));
  if (nodes.empty()) return "";
  const auto& sources = elements(nodes.front());
  if (nodes.size() != 1 || sources.size() != 1 || elements(sources.front()).empty())
    refuse(file, "it takes more than one input; only a chain of layers can be run");
  return text_of(elements(sources.front()).front());
}

void add_layer(const Json& entry, const Weights& weights, NetworkBuilder& builder) {
  const Json& config = member(entry, "config");
  const std::string name = text_of(member(config, "name"));
  const std::string kind = text_of(member(entry, "class_name"));
  const std::string where = "layer '" + name + "'";
  const auto row = std::ranges::find(layer_classes, kind, &LayerClass::name);
  if (row == layer_classes.end())
    refuse_part(where,
                "is a " + kind + ", which the engine does not have; export the model to ONNX");
  row->add({.name = name, .where = where, .config = config, .weights = weights}, builder);
}

Json parsed(std::string_view json, const std::string& name) {
  Json model = parse_json(json, name);
  if (elements(member(model, "weightsManifest")).empty())
    refuse(name, "is JSON, but not a tfjs model: it has no weightsManifest");
  return model;
}

}  // namespace

std::vector<std::string> tfjs_weight_paths(std::string_view json, const std::string& name) {
  const Json model = parsed(json, name);
  std::vector<std::string> out;
  for (const Json& group : elements(member(model, "weightsManifest")))
    for (const Json& path : elements(member(group, "paths"))) {
      out.push_back(text_of(path));
      if (out.back().empty() || out.back().find('/') != std::string::npos || out.back() == "..")
        refuse(name, "'" + out.back() + "' is not the name of a weight file next to it");
    }
  return out;
}

Network tfjs_network(std::string_view json, std::span<const std::byte> weights,
                     const std::string& name) {
  const Json model = parsed(json, name);
  const Weights tensors = weights_of(model, weights, name);
  const Json& config = member(member(member(model, "modelTopology"), "model_config"), "config");
  const Json& layers = config.is_array() ? config : member(config, "layers");
  if (elements(layers).empty()) refuse(name, "lists no layers; only tfjs layer models can be read");
  NetworkBuilder builder;
  std::string before;
  for (const Json& entry : elements(layers)) {
    const std::string source = source_of(entry, name);
    if (!source.empty() && source != before)
      refuse(name, fmt::format("a layer takes its input from '{}', not from '{}' before it; only a "
                               "chain of layers can be run",
                               source, before));
    before = text_of(member(member(entry, "config"), "name"));
    add_layer(entry, tensors, builder);
  }
  return std::move(builder).network();
}

}  // namespace assay::model
