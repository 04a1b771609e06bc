// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/nearest.hpp"
#include "assay/error.hpp"

namespace assay::model {
namespace {

constexpr std::array<std::string_view, 4> activations = {"none", "relu", "elu", "gelu"};
constexpr std::array<std::string_view, 3> normalisations = {"none", "instance", "group"};

constexpr std::size_t kernel_taps = 27;
constexpr std::size_t most_channels = 256, most_dilation = 4096, most_classes = 256;

/// The paper's networks have 216 C^2 + 56 C + 2 parameters, of which 18 C belong to the batch
/// normalisations. A file in which these are folded has 18 C fewer.
struct Published {
  std::size_t channels, parameters;
  const char* name;
};
constexpr std::array published = {Published{26, 147474, "MeshNet-26"},
                                  Published{16, 56194, "MeshNet-16"},
                                  Published{5, 5682, "MeshNet-5"}};
constexpr std::array<std::size_t, 9> published_dilations = {1, 2, 4, 8, 16, 16, 8, 4, 2};

[[noreturn]] void refuse_network(const std::string& sentence) {
  throw Error(Error::Kind::input, sentence);
}

void require_size(const std::vector<float>& values, std::size_t wanted, const std::string& what) {
  if (values.size() != wanted)
    refuse_network(
        fmt::format("{} has {} numbers, but its shape needs {}", what, values.size(), wanted));
  const auto bad = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
  if (bad != values.end())
    refuse_network(fmt::format("{} holds {} at position {}; weights must be finite numbers", what,
                               *bad, bad - values.begin()));
}

void require_between(std::size_t value, std::size_t most, const std::string& what) {
  if (value < 1 || value > most)
    refuse_network(fmt::format("{} is {}; it must lie between 1 and {}", what, value, most));
}

void require_normalisable(const HiddenLayer& layer, const std::string& where) {
  if (layer.normalisation == Normalisation::none) return;
  if (!std::isfinite(layer.epsilon) || layer.epsilon < 0)
    refuse_network(fmt::format("{}: the epsilon of its normalisation is {}", where, layer.epsilon));
  if (layer.normalisation == Normalisation::instance) return;
  if (layer.groups < 1 || layer.outputs % layer.groups != 0)
    refuse_network(fmt::format("{}: {} channels cannot be divided into {} groups", where,
                               layer.outputs, layer.groups));
  if (!layer.scale.empty()) require_size(layer.scale, layer.outputs, where + ": the norm's scale");
  if (!layer.shift.empty()) require_size(layer.shift, layer.outputs, where + ": the norm's shift");
}

void require_valid(const HiddenLayer& layer, const std::string& where) {
  require_between(layer.outputs, most_channels, where + ": its number of channels");
  require_between(layer.dilation, most_dilation, where + ": its dilation");
  require_size(layer.weights, layer.outputs * layer.inputs * kernel_taps, where + ": its weight");
  require_size(layer.bias, layer.outputs, where + ": its bias");
  require_normalisable(layer, where);
}

}  // namespace

std::string_view name(Activation activation) {
  return activations.at(static_cast<std::size_t>(activation));
}

std::string_view name(Normalisation normalisation) {
  return normalisations.at(static_cast<std::size_t>(normalisation));
}

Activation activation(std::string_view name) {
  const auto found = std::ranges::find(activations, name);
  if (found == activations.end())
    throw Error(Error::Kind::usage,
                fmt::format("there is no activation '{}'{} (none, relu, elu, gelu)", name,
                            did_you_mean(name, activations)));
  return static_cast<Activation>(found - activations.begin());
}

void require_valid(const Network& network) {
  if (network.hidden.empty()) refuse_network("the network has no 3x3x3 convolution");
  std::size_t channels = 1;
  for (std::size_t i = 0; i < network.hidden.size(); ++i) {
    const std::string where = fmt::format("hidden layer {}", i + 1);
    const HiddenLayer& layer = network.hidden[i];
    if (layer.inputs != channels)
      refuse_network(
          fmt::format("{} takes {} channels, but gets {}", where, layer.inputs, channels));
    require_valid(layer, where);
    channels = layer.outputs;
  }
  const Classifier& last = network.classifier;
  if (last.inputs != channels)
    refuse_network(
        fmt::format("the classifier takes {} channels, but gets {}", last.inputs, channels));
  if (last.classes < 2 || last.classes > most_classes)
    refuse_network(fmt::format("the classifier has {} classes; it must have 2 to {}", last.classes,
                               most_classes));
  require_size(last.weights, last.classes * last.inputs, "the classifier's weight");
  require_size(last.bias, last.classes, "the classifier's bias");
}

std::size_t receptive_field(const Network& network) {
  std::size_t reach = 0;
  for (const HiddenLayer& layer : network.hidden) reach += layer.dilation;
  return 1 + 2 * reach;
}

std::size_t parameters(const Network& network) {
  std::size_t sum = network.classifier.trainable;
  for (const HiddenLayer& layer : network.hidden) sum += layer.trainable;
  return sum;
}

std::string published_name(const Network& network) {
  const auto is_published = [](const HiddenLayer& layer, std::size_t dilation) {
    return layer.dilation == dilation && layer.activation == Activation::relu &&
           layer.normalisation == Normalisation::none;
  };
  if (!std::ranges::equal(network.hidden, published_dilations, is_published)) return "";
  const auto found = std::ranges::find(published, widest(network), &Published::channels);
  if (found == published.end()) return "";
  const std::size_t count = parameters(network);
  const std::size_t folded = found->parameters - 2 * published_dilations.size() * found->channels;
  return count == found->parameters || count == folded ? found->name : "";
}

double operations(const HiddenLayer& layer, std::size_t voxels) {
  return 2.0 * static_cast<double>(kernel_taps * layer.inputs * layer.outputs) *
         static_cast<double>(voxels);
}

double operations(const Classifier& classifier, std::size_t voxels) {
  return 2.0 * static_cast<double>(classifier.inputs * classifier.classes) *
         static_cast<double>(voxels);
}

double operations(const Network& network, std::size_t voxels) {
  double sum = operations(network.classifier, voxels);
  for (const HiddenLayer& layer : network.hidden) sum += operations(layer, voxels);
  return sum;
}

std::size_t widest(const Network& network) {
  std::size_t most = 1;
  for (const HiddenLayer& layer : network.hidden) most = std::max(most, layer.outputs);
  return most;
}

}  // namespace assay::model
