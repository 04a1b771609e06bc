// SPDX-License-Identifier: Apache-2.0
/// A network of the MeshNet family as data: dilated 3x3x3 convolutions, then a 1x1x1 classifier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/model.hpp"
#include "assay/volume.hpp"

namespace assay::model {

enum class Normalisation {
  none,
  instance,
  group
};  ///< computed at run time, so not folded into weights

std::string_view name(Activation activation);
std::string_view name(Normalisation normalisation);

/// The activation of that name. Throws an Error::usage that lists the names.
Activation activation(std::string_view name);

/// Convolution, then normalisation, then activation. The volume is padded with zeros.
struct HiddenLayer {
  std::size_t inputs = 1, outputs = 1, dilation = 1;
  std::vector<float> weights =
      {};                        ///< [output][input][depth][height][width], 3 of each of the last
  std::vector<float> bias = {};  ///< one per output; zeros where the model has none
  Activation activation = Activation::relu;
  Normalisation normalisation = Normalisation::none;
  std::size_t groups = 1;                     ///< of the group normalisation
  std::vector<float> scale = {}, shift = {};  ///< of the group normalisation; empty: 1 and 0
  double epsilon = 1e-5;                      ///< added to the variance
  std::size_t trainable = 0;                  ///< parameters of the layer as it was trained
  bool has_folded_norm = false;               ///< a batch normalisation is in the weights
};

struct Classifier {
  std::size_t inputs = 1, classes = 2;
  std::vector<float> weights = {};  ///< [class][input]
  std::vector<float> bias = {};     ///< one per class
  std::size_t trainable = 0;
};

struct Network {
  std::vector<HiddenLayer> hidden;
  Classifier classifier;
};

/// Throws an Error::input naming the layer unless the shapes of consecutive layers match, every
/// number is finite and nothing is larger than the engine can hold.
void require_valid(const Network& network);

/// How many voxels along an axis affect one output voxel: 123 for MeshNet-X.
std::size_t receptive_field(const Network& network);

/// The trainable parameters of the model as it was trained: 147,474 for MeshNet-26.
std::size_t parameters(const Network& network);

/// "MeshNet-26" and the like for the three networks of the paper, recognised by parameters and
/// dilations; else "".
std::string published_name(const Network& network);

/// Floating-point operations of a direct convolution over that many voxels.
double operations(const HiddenLayer& layer, std::size_t voxels);
double operations(const Classifier& classifier, std::size_t voxels);
double operations(const Network& network, std::size_t voxels);

/// The largest number of output channels of any hidden layer.
std::size_t widest(const Network& network);

}  // namespace assay::model
