// SPDX-License-Identifier: Apache-2.0
/// Random networks and volumes, and their slow but certain result: direct convolution in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "assay/model/engine/network.hpp"
#include "assay/volume.hpp"

namespace assay::networks {

inline std::vector<float> random_floats(std::size_t count, double spread, std::mt19937& random) {
  std::vector<float> out(count);
  std::normal_distribution<double> normal(0, spread);
  for (float& value : out) value = static_cast<float>(normal(random));
  return out;
}

inline Volume<float> random_volume(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  Volume<float> out(Grid{shape});
  std::uniform_real_distribution<float> uniform(0, 1);
  for (float& voxel : out.voxels()) voxel = uniform(random);
  return out;
}

inline model::HiddenLayer random_layer(std::size_t inputs, std::size_t outputs,
                                       std::size_t dilation, std::mt19937& random) {
  model::HiddenLayer out = {.inputs = inputs, .outputs = outputs, .dilation = dilation};
  const double spread = std::sqrt(2.0 / (27.0 * static_cast<double>(inputs)));
  out.weights = random_floats(27 * inputs * outputs, spread, random);
  out.bias = random_floats(outputs, 0.1, random);
  out.trainable = out.weights.size() + out.bias.size();
  return out;
}

struct Style {
  std::vector<std::size_t> dilations = {1, 2, 4};
  std::size_t channels = 3, classes = 3;
  model::Activation activation = model::Activation::relu;
  model::Normalisation normalisation = model::Normalisation::none;
  std::size_t groups = 1;
};

inline model::Network random_network(const Style& style, unsigned seed = 1) {
  std::mt19937 random(seed);
  model::Network out;
  std::size_t inputs = 1;
  for (const std::size_t dilation : style.dilations) {
    model::HiddenLayer layer = random_layer(inputs, style.channels, dilation, random);
    layer.activation = style.activation;
    layer.normalisation = style.normalisation;
    layer.groups = style.groups;
    if (style.normalisation == model::Normalisation::group) {
      layer.scale = random_floats(style.channels, 0.2, random);
      for (float& scale : layer.scale) scale += 1;  // around where training starts
      layer.shift = random_floats(style.channels, 0.2, random);
    }
    out.hidden.push_back(layer);
    inputs = style.channels;
  }
  out.classifier = {.inputs = inputs, .classes = style.classes};
  out.classifier.weights = random_floats(inputs * style.classes, 1, random);
  out.classifier.bias = random_floats(style.classes, 1, random);
  out.classifier.trainable = (inputs + 1) * style.classes;
  return out;
}

using Channels = std::vector<std::vector<double>>;

/// One layer's convolution at every voxel, tap by tap. Depth is z.
inline Channels convolved(const model::HiddenLayer& layer, const Channels& in, const Shape& shape) {
  const auto [nx, ny, nz] = shape;
  Channels out(layer.outputs, std::vector<double>(nx * ny * nz));
  for (std::size_t i = 0; i < layer.outputs * nx * ny * nz * 27; ++i) {
    const std::size_t tap = i % 27, voxel = i / 27 % (nx * ny * nz), o = i / 27 / (nx * ny * nz);
    const std::size_t x = voxel % nx + (tap % 3) * layer.dilation - layer.dilation;
    const std::size_t y = voxel / nx % ny + (tap / 3 % 3) * layer.dilation - layer.dilation;
    const std::size_t z = voxel / nx / ny + (tap / 9) * layer.dilation - layer.dilation;
    if (tap == 0) out[o][voxel] += layer.bias[o];
    if (x >= nx || y >= ny || z >= nz) continue;  // below 0 wraps around
    for (std::size_t c = 0; c < layer.inputs; ++c)
      out[o][voxel] +=
          double{layer.weights[(o * layer.inputs + c) * 27 + tap]} * in[c][x + nx * (y + ny * z)];
  }
  return out;
}

inline double activated(model::Activation activation, double x) {
  switch (activation) {
    case model::Activation::relu: return std::fmax(x, 0);
    case model::Activation::elu: return x > 0 ? x : std::expm1(x);
    case model::Activation::gelu: return 0.5 * x * (1 + std::erf(x / std::sqrt(2)));
    case model::Activation::none: return x;
  }
  return x;
}

inline void normalise(const model::HiddenLayer& layer, Channels& values) {
  if (layer.normalisation == model::Normalisation::none) return;
  const std::size_t members =
      layer.normalisation == model::Normalisation::group ? layer.outputs / layer.groups : 1;
  for (std::size_t first = 0; first < layer.outputs; first += members) {
    double sum = 0, squares = 0, count = 0;
    for (std::size_t c = first; c < first + members; ++c)
      for (const double v : values[c]) {
        sum += v;
        ++count;
      }
    for (std::size_t c = first; c < first + members; ++c)
      for (const double v : values[c]) squares += (v - sum / count) * (v - sum / count);
    for (std::size_t c = first; c < first + members; ++c)
      for (double& v : values[c]) {
        v = (v - sum / count) / std::sqrt(squares / count + layer.epsilon);
        if (!layer.scale.empty()) v = v * layer.scale[c] + layer.shift[c];
      }
  }
}

/// The logits, class by class.
inline Channels true_logits(const model::Network& network, View<float> volume) {
  Channels at = {std::vector<double>(volume.voxels.begin(), volume.voxels.end())};
  for (const model::HiddenLayer& layer : network.hidden) {
    at = convolved(layer, at, volume.grid.shape);
    normalise(layer, at);
    for (auto& channel : at)
      for (double& value : channel) value = activated(layer.activation, value);
  }
  const model::Classifier& last = network.classifier;
  Channels out(last.classes, std::vector<double>(volume.grid.size()));
  for (std::size_t k = 0; k < last.classes; ++k)
    for (std::size_t i = 0; i < volume.grid.size(); ++i) {
      out[k][i] = last.bias[k];
      for (std::size_t c = 0; c < last.inputs; ++c)
        out[k][i] += double{last.weights[k * last.inputs + c]} * at[c][i];
    }
  return out;
}

/// The largest difference, relative to the largest logit.
inline double relative_difference(const std::vector<float>& logits, const Channels& truth) {
  double difference = 0, largest = 0;
  std::size_t i = 0;
  for (const auto& channel : truth)
    for (const double value : channel) {
      difference = std::fmax(difference, std::fabs(logits.at(i++) - value));
      largest = std::fmax(largest, std::fabs(value));
    }
  return difference / largest;
}

}  // namespace assay::networks
