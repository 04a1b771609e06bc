// SPDX-License-Identifier: Apache-2.0
/// State dicts: tensors by name, grouped into modules that are ordered by number.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/model/engine/builder.hpp"
#include "assay/model/files/model.hpp"
#include "assay/model/files/tensors.hpp"

namespace assay::model {
namespace {

/// A model whose file holds only numbers, recognised by its shapes. Sources: the paper's
/// architecture; the model.json files of brainchop.
struct KnownModel {
  const char* name = "";
  std::size_t channels = 0, classes = 0;
  bool has_batch_norm = false, has_bias = true;
  std::vector<std::size_t> dilations = {};
  Activation activation = Activation::elu;
  Normalisation normalisation = Normalisation::none;
};

const std::vector<KnownModel>& known_models() {
  using enum Activation;
  static const std::vector<std::size_t> paper = {1, 2, 4, 8, 16, 16, 8, 4, 2};
  static const std::vector<std::size_t> ramp = {1, 2, 4, 8, 16, 8, 4, 2, 1};
  static const std::vector<std::size_t> falling = {16, 8, 4,  2, 1, 16, 8, 4,  2, 1, 16, 8, 4,
                                                   2,  1, 16, 8, 4, 2,  1, 16, 8, 4, 2,  1};
  static const std::vector<KnownModel> table = {
      {"MeshNet-26", 26, 2, true, true, paper, relu},
      {"MeshNet-16", 16, 2, true, true, paper, relu},
      {"MeshNet-5", 5, 2, true, true, paper, relu},
      {"brainchop model5_gw_ae", 5, 3, false, true, ramp, relu},
      {"brainchop model11_gw_ae", 11, 3, false, true, {1, 2, 4, 8, 4, 2, 2, 1}, relu},
      {"brainchop model20chan3cls", 20, 3, false, true, ramp},
      {"brainchop model18cls", 21, 18, false, true, ramp},
      {"brainchop model30chan18cls", 30, 18, false, true, ramp},
      {"brainchop model30chan50cls", 30, 50, false, true, ramp},
      {"brainchop model21_104class", 21, 104, false, true, {1, 2, 2, 4, 4, 8, 8, 16}, relu},
      {"brainchop mindgrab", 15, 2, false, false, falling, gelu, Normalisation::instance},
  };
  return table;
}

/// The tensors of one module by the last part of their names.
struct Module {
  std::string name;
  std::vector<std::size_t> numbers;  ///< in its name; they give its place among the modules
  std::map<std::string, const StoredTensor*> tensors;

  const StoredTensor* find(const std::string& part) const {
    const auto found = tensors.find(part);
    return found != tensors.end() ? found->second : nullptr;
  }
  bool is_convolution() const {
    const StoredTensor* weight = find("weight");
    return weight != nullptr && weight->shape.size() == 5;
  }
  bool is_batch_norm() const { return find("running_mean") != nullptr; }
};

std::vector<std::size_t> numbers_in(const std::string& name) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9') continue;
    if (i == 0 || name[i - 1] < '0' || name[i - 1] > '9') out.push_back(0);
    out.back() = (out.back() * 10 + static_cast<std::size_t>(name[i] - '0')) % 1'000'000'000;
  }
  return out;
}

/// Modules in the order in which voxels pass through them: by the numbers in their names, and with
/// equal numbers a convolution before its normalisation.
std::vector<Module> modules_of(std::span<const StoredTensor> tensors) {
  std::map<std::string, Module> by_name;
  for (const StoredTensor& tensor : tensors) {
    const std::size_t dot = std::min(tensor.name.rfind('.'), tensor.name.size());
    Module& module = by_name[tensor.name.substr(0, dot)];
    module.tensors[tensor.name.substr(std::min(dot + 1, tensor.name.size()))] = &tensor;
  }
  std::vector<Module> out;
  for (auto& [name, module] : by_name) {
    module.name = name;
    module.numbers = numbers_in(name);
    out.push_back(std::move(module));
  }
  std::ranges::sort(out, {}, [](const Module& module) {
    return std::tuple(module.numbers, !module.is_convolution(), module.name);
  });
  return out;
}

const StoredTensor& needed(const Module& module, const std::string& part, const std::string& file) {
  const StoredTensor* found = module.find(part);
  if (found == nullptr) refuse(file, "lacks the tensor '" + module.name + "." + part + "'");
  return *found;
}

/// What the shapes of the tensors say.
struct Outline {
  std::size_t hidden = 0, channels = 0, classes = 0;
  bool has_batch_norm = false, has_bias = false;
};

/// The side of a cubic kernel, 3 or 1.
std::size_t side_of(const StoredTensor& weight, const std::string& file) {
  const auto& shape = weight.shape;
  if (shape[2] != shape[3] || shape[3] != shape[4] || (shape[2] != 3 && shape[2] != 1))
    refuse(file, fmt::format("'{}' has the shape {}; a network of this family has kernels of 3x3x3 "
                             "and, at its end, 1x1x1",
                             weight.name, shape_text(shape)));
  return shape[2];
}

Outline outline_of(const std::vector<Module>& modules, const std::string& file) {
  Outline out;
  for (const Module& module : modules) {
    out.has_batch_norm = out.has_batch_norm || module.is_batch_norm();
    if (module.find("bias") != nullptr) needed(module, "weight", file);
    if (!module.is_convolution()) continue;
    const StoredTensor& weight = *module.find("weight");
    if (side_of(weight, file) == 1) {
      out.classes = weight.shape[0];
      continue;
    }
    ++out.hidden;
    out.channels = weight.shape[0];
    out.has_bias = out.has_bias || module.find("bias") != nullptr;
  }
  if (out.hidden == 0) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(modules.size(), 4); ++i)
      names.push_back(modules[i].name);
    refuse(file, "holds no 3x3x3 convolution, which a MeshNet consists of; found: " +
                     (names.empty() ? std::string("nothing") : joined(names)));
  }
  return out;
}

const KnownModel* known(const Outline& outline) {
  const auto& table = known_models();
  const auto found = std::ranges::find_if(table, [&](const KnownModel& m) {
    return m.dilations.size() == outline.hidden && m.channels == outline.channels &&
           m.classes == outline.classes && m.has_batch_norm == outline.has_batch_norm &&
           m.has_bias == outline.has_bias;
  });
  return found != table.end() ? &*found : nullptr;
}

/// Dilations, activation and normalisation, from the options or from a known model.
KnownModel architecture(const Outline& outline, const ModelOptions& options,
                        const std::string& file) {
  const KnownModel* model = known(outline);
  if (options.dilations.empty() && model == nullptr)
    refuse(file,
           fmt::format("its weights ({}, {} channels, {} classes) match no known model, and a file "
                       "of weights does not state dilations and activation; give them: --dilations "
                       "1,2,4,... --activation relu, or use the ONNX or tfjs form",
                       counted(outline.hidden, "hidden layer"), outline.channels, outline.classes));
  KnownModel out = model != nullptr ? *model : KnownModel{};
  if (!options.dilations.empty()) {
    if (options.dilations.size() != outline.hidden)
      throw Error(Error::Kind::usage, file,
                  fmt::format("has {}, but --dilations names {}",
                              counted(outline.hidden, "hidden layer"), options.dilations.size()));
    if (model == nullptr && !options.activation)
      throw Error(Error::Kind::usage, file,
                  "give the activation, too: --activation relu, elu, gelu or none");
    out.dilations = options.dilations;
    if (model == nullptr || model->dilations != options.dilations) out.name = "";
  }
  if (options.activation) {
    if (out.activation != *options.activation) out.name = "";
    out.activation = *options.activation;
  }
  return out;
}

std::vector<float> floats_if_any(const Module& module, const std::string& part) {
  const StoredTensor* found = module.find(part);
  return found != nullptr ? floats(*found) : std::vector<float>{};
}

void add_convolution(NetworkBuilder& builder, const Module& module, std::size_t dilation) {
  const StoredTensor& weight = *module.find("weight");
  builder.add(FileConvolution{.name = module.name,
                              .outputs = weight.shape[0],
                              .inputs = weight.shape[1],
                              .side = weight.shape[2],
                              .dilation = dilation,
                              .weights = floats(weight),
                              .bias = floats_if_any(module, "bias")});
}

void add_normalisation(NetworkBuilder& builder, const Module& module, const std::string& file) {
  if (module.is_batch_norm()) {
    builder.add(FileBatchNormalisation{.name = module.name,
                                       .scale = floats_if_any(module, "weight"),
                                       .shift = floats_if_any(module, "bias"),
                                       .mean = floats(needed(module, "running_mean", file)),
                                       .variance = floats(needed(module, "running_var", file))});
    return;
  }
  refuse(file, fmt::format("'{}' has tensors that no known MeshNet has: {}", module.name,
                           module.tensors.begin()->first));
}

Network network_of(const std::vector<Module>& modules, const KnownModel& known,
                   const Outline& outline, const std::string& file) {
  NetworkBuilder builder;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const Module& module = modules[i];
    if (!module.is_convolution()) {
      add_normalisation(builder, module, file);
      continue;
    }
    const bool is_hidden = module.find("weight")->shape[2] == 3;
    if (is_hidden && outline.has_bias) needed(module, "bias", file);
    add_convolution(builder, module, is_hidden ? known.dilations[hidden++] : 1);
    if (is_hidden && known.normalisation != Normalisation::none)
      builder.add(FileNormalisation{.name = module.name, .kind = known.normalisation});
  }
  Network out = std::move(builder).network();
  for (HiddenLayer& layer : out.hidden) layer.activation = known.activation;
  return out;
}

}  // namespace

std::string known_name(const Network& network) {
  std::vector<std::size_t> dilations;
  for (const HiddenLayer& layer : network.hidden) dilations.push_back(layer.dilation);
  for (const KnownModel& known : known_models())
    if (known.channels == widest(network) && known.classes == network.classifier.classes &&
        known.dilations == dilations && known.activation == network.hidden.front().activation)
      return known.name;
  return "";
}

Model state_dict_model(std::span<const StoredTensor> tensors, const ModelOptions& options,
                       const std::string& name) {
  const std::vector<Module> modules = modules_of(tensors);
  const Outline outline = outline_of(modules, name);
  const KnownModel known = architecture(outline, options, name);
  const bool from_options = !options.dilations.empty() || options.activation.has_value();
  return {.network = network_of(modules, known, outline, name),
          .name = known.name,
          .architecture = from_options ? "options" : "recognised"};
}

}  // namespace assay::model
