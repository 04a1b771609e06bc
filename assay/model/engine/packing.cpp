// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/packing.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace assay::model {
namespace {

/// The filter's transform for F(4, 3) with the points 0, +-1/root_of_two, +-root_of_two and
/// infinity.
constexpr double root_of_two = 1.4142135623730951;
constexpr double filter_transform[window_side][3] = {{1, 0, 0},
                                                     {-2.0 / 3, -root_of_two / 3, -1.0 / 3},
                                                     {-2.0 / 3, root_of_two / 3, -1.0 / 3},
                                                     {1.0 / 6, root_of_two / 6, 1.0 / 3},
                                                     {1.0 / 6, -root_of_two / 6, 1.0 / 3},
                                                     {0, 0, 1}};

std::size_t rounded_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

/// The distance between frequencies. It is never a multiple of 4096 bytes: 36 frequencies are
/// written at once and would compete for the same few lines of the cache.
std::size_t staggered(std::size_t floats) {
  constexpr std::size_t page = 1024, offset = 272;
  const std::size_t at = floats % page;
  return floats - at + (at <= offset ? offset : page + offset);
}

/// Voxels along x at a time: as many as the second-level cache holds with all their frequencies.
std::size_t chunk_of(const HiddenLayer& layer, std::size_t halo) {
  constexpr std::size_t cache_floats = 176 * 1024, most = 256, least = 64;
  for (std::size_t chunk = most; chunk > least; chunk /= 2) {
    const std::size_t floats = layer.inputs * (chunk + 2 * halo) + layer.outputs * chunk;
    if (frequencies * floats <= cache_floats) return chunk;
  }
  return least;
}

/// One filter of 27 taps, with z, y, x of the volume for its axes.
std::array<double, 27> filter(const HiddenLayer& layer, std::size_t pair, TensorAxes axes) {
  std::array<double, 27> out{};
  for (std::size_t z = 0; z < 3; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 3; ++x) {
        const std::size_t depth = axes == TensorAxes::zyx ? z : x;
        const std::size_t width = axes == TensorAxes::zyx ? x : z;
        out[9 * z + 3 * y + x] = layer.weights[27 * pair + 9 * depth + 3 * y + width];
      }
  return out;
}

/// Frequency (fz, fy) of a filter at one tap along x.
float transformed(const std::array<double, 27>& filter, std::size_t frequency, std::size_t tap) {
  const double* along_z = filter_transform[frequency / window_side];
  const double* along_y = filter_transform[frequency % window_side];
  double sum = 0;
  for (std::size_t z = 0; z < 3; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      sum += along_z[z] * along_y[y] * filter[9 * z + 3 * y + tap];
  return static_cast<float>(sum);
}

/// A block of output channels: the first, and how many.
struct Block {
  std::size_t first, count;
};

std::vector<Block> blocks_of(std::size_t outputs, std::size_t most) {
  const std::size_t count = (outputs + most - 1) / most;
  std::vector<Block> out;
  for (std::size_t b = 0, first = 0; b < count; ++b) {
    out.push_back({first, outputs / count + (b < outputs % count ? 1 : 0)});
    first += out.back().count;
  }
  return out;
}

}  // namespace

PackedConvolution::PackedConvolution(const HiddenLayer& layer, TensorAxes axes,
                                     const Kernels& kernels)
    : weights_(frequencies * layer.outputs * layer.inputs * 3), bias_(layer.bias) {
  const std::size_t per_frequency = layer.outputs * layer.inputs * 3;
  for (const Block& block : blocks_of(layer.outputs, kernels.most_outputs))
    for (std::size_t o = 0; o < block.count; ++o)
      for (std::size_t c = 0; c < layer.inputs; ++c) {
        const auto taps = filter(layer, (block.first + o) * layer.inputs + c, axes);
        const std::size_t at = block.first * layer.inputs * 3 + c * 3 * block.count + o;
        for (std::size_t i = 0; i < frequencies * 3; ++i)
          weights_[i / 3 * per_frequency + at + i % 3 * block.count] =
              transformed(taps, i / 3, i % 3);
      }
  const std::size_t halo = rounded_up(layer.dilation, alignment);
  const std::size_t chunk = chunk_of(layer, halo);
  plan_ = {.inputs = layer.inputs,
           .outputs = layer.outputs,
           .dilation = layer.dilation,
           .activation =
               layer.normalisation == Normalisation::none ? layer.activation : Activation::none,
           .chunk = chunk,
           .halo = halo,
           .before = staggered(layer.inputs * (chunk + 2 * halo)),
           .after = staggered(layer.outputs * chunk)};
}

ConvolutionPlan PackedConvolution::plan() const {
  ConvolutionPlan out = plan_;
  out.weights = weights_.data();
  out.bias = bias_.data();
  return out;
}

std::size_t PackedConvolution::scratch_floats() const {
  return frequencies * (plan_.before + plan_.after);
}

PackedClassifier::PackedClassifier(const Classifier& classifier)
    : inputs_(classifier.inputs), classes_(classifier.classes) {
  const std::size_t all = rounded_up(classes_, classes_abreast);
  weights_.resize(all * inputs_);
  bias_.assign(all, -std::numeric_limits<float>::infinity());  // the classes that fill up the last
                                                               // block never win
  std::ranges::copy(classifier.bias, bias_.begin());
  for (std::size_t k = 0; k < classes_; ++k)
    for (std::size_t c = 0; c < inputs_; ++c)
      weights_[(k - k % classes_abreast) * inputs_ + c * classes_abreast + k % classes_abreast] =
          classifier.weights[k * inputs_ + c];
}

ClassifierPlan PackedClassifier::plan() const {
  return {.inputs = inputs_, .classes = classes_, .weights = weights_.data(), .bias = bias_.data()};
}

}  // namespace assay::model
