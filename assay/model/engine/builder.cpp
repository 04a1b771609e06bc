// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/builder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "assay/error.hpp"

namespace assay::model {
namespace {

constexpr std::size_t most_layers = 256;

[[noreturn]] void refuse_layer(const std::string& sentence) {
  throw Error(Error::Kind::input, sentence);
}

std::vector<float> bias_of(FileConvolution& convolution) {
  return convolution.bias.empty() ? std::vector<float>(convolution.outputs)
                                  : std::move(convolution.bias);
}

void require_channels(const std::vector<float>& values, std::size_t channels,
                      const std::string& what) {
  if (values.size() != channels)
    refuse_layer(fmt::format("{} has {} numbers, but the convolution before it gives {} channels",
                             what, values.size(), channels));
}

/// `values`, or `count` times `otherwise` when there are none.
std::vector<float> filled(const std::vector<float>& values, std::size_t count, float otherwise) {
  return values.empty() ? std::vector<float>(count, otherwise) : values;
}

}  // namespace

void NetworkBuilder::add(FileConvolution convolution) {
  if (has_classifier_)
    refuse_layer(
        fmt::format("the convolution '{}' follows the 1x1x1 convolution '{}', which must be the "
                    "last",
                    convolution.name, last_convolution_));
  if (convolution.side == 1) return add_classifier(std::move(convolution));
  if (convolution.side != 3)
    refuse_layer(
        fmt::format("the convolution '{}' has a kernel of {} voxels; only 3 and, for the last, "
                    "1 can be run",
                    convolution.name, convolution.side));
  if (network_.hidden.size() == most_layers)
    refuse_layer(fmt::format("there are more than {} convolutions", most_layers));
  const std::size_t trainable = convolution.weights.size() + convolution.bias.size();
  last_convolution_ = convolution.name;
  is_normalised_ = is_activated_ = false;
  network_.hidden.push_back({.inputs = convolution.inputs,
                             .outputs = convolution.outputs,
                             .dilation = convolution.dilation,
                             .weights = std::move(convolution.weights),
                             .bias = bias_of(convolution),
                             .activation = Activation::none,
                             .trainable = trainable});
}

void NetworkBuilder::add_classifier(FileConvolution&& convolution) {
  has_classifier_ = true;
  last_convolution_ = convolution.name;
  network_.classifier = {
      .inputs = convolution.inputs,
      .classes = convolution.outputs,
      .weights = std::move(convolution.weights),
      .bias = {},
  };
  network_.classifier.trainable = network_.classifier.weights.size() + convolution.bias.size();
  network_.classifier.bias = bias_of(convolution);
}

HiddenLayer& NetworkBuilder::open_layer(const std::string& name, const std::string& what) {
  if (network_.hidden.empty())
    refuse_layer(fmt::format("{} '{}' comes before any convolution", what, name));
  if (has_classifier_)
    refuse_layer(
        fmt::format("{} '{}' follows the last convolution '{}'", what, name, last_convolution_));
  if (is_activated_)
    refuse_layer(
        fmt::format("{} '{}' follows an activation; it must follow its convolution", what, name));
  return network_.hidden.back();
}

void NetworkBuilder::add(const FileBatchNormalisation& n) {
  HiddenLayer& layer = open_layer(n.name, "the batch normalisation");
  if (is_normalised_)
    refuse_layer(
        fmt::format("'{}' is a second normalisation after '{}'", n.name, last_convolution_));
  is_normalised_ = true;
  for (const auto& [values, what] :
       {std::pair(&n.mean, "mean"), std::pair(&n.variance, "variance")})
    require_channels(*values, layer.outputs, fmt::format("the {} of '{}'", what, n.name));
  const std::vector<float> scale = filled(n.scale, layer.outputs, 1);
  const std::vector<float> shift = filled(n.shift, layer.outputs, 0);
  require_channels(scale, layer.outputs, "the scale of '" + n.name + "'");
  require_channels(shift, layer.outputs, "the shift of '" + n.name + "'");
  const std::size_t per_output = layer.weights.size() / layer.outputs;
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    if (!(n.variance[o] >= 0))
      refuse_layer(
          fmt::format("the variance of '{}' is {} for channel {}", n.name, n.variance[o], o));
    const double factor = scale[o] / std::sqrt(n.variance[o] + n.epsilon);
    for (std::size_t i = o * per_output; i < (o + 1) * per_output; ++i)
      layer.weights[i] = static_cast<float>(layer.weights[i] * factor);
    layer.bias[o] =
        static_cast<float>((double{layer.bias[o]} - n.mean[o]) * factor + double{shift[o]});
  }
  layer.trainable += n.scale.size() + n.shift.size();
  layer.has_folded_norm = true;
}

void NetworkBuilder::add(FileNormalisation n) {
  HiddenLayer& layer = open_layer(n.name, "the normalisation");
  if (is_normalised_)
    refuse_layer(
        fmt::format("'{}' is a second normalisation after '{}'", n.name, last_convolution_));
  is_normalised_ = true;
  layer.trainable += n.scale.size() + n.shift.size();
  layer.normalisation = n.kind;
  layer.groups = n.groups;
  layer.epsilon = n.epsilon;
  layer.scale = std::move(n.scale);
  layer.shift = std::move(n.shift);
}

void NetworkBuilder::add(Activation activation, const std::string& name) {
  HiddenLayer& layer = open_layer(name, "the activation");
  layer.activation = activation;
  is_activated_ = true;
}

Network NetworkBuilder::network() && {
  if (!has_classifier_)
    refuse_layer("there is no final 1x1x1 convolution, which gives every voxel its class");
  require_valid(network_);
  return std::move(network_);
}

}  // namespace assay::model
