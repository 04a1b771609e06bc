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

enum class Normalisation { none, instance, group };  ///< at run time

std::string_view name(Activation activation);
std::string_view name(Normalisation normalisation);

/// The activation of that name. Throws Error::usage that says which there are.
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

/// Throws Error::input that names the layer unless shapes follow from each other, every number is
/// finite and nothing is larger than the engine can hold.
void require_valid(const Network& network);

/// How far along an axis a voxel of the input has an effect: 123 for MeshNet-X.
std::size_t receptive_field(const Network& network);

/// The trainable parameters of the model as it was trained: 147,474 for MeshNet-26.
std::size_t parameters(const Network& network);

/// "MeshNet-26" and the like for the three networks of the paper, recognised by parameters and
/// dilations; else "".
std::string published_name(const Network& network);

/// Floating-point operations of the direct convolution over that many voxels.
double operations(const HiddenLayer& layer, std::size_t voxels);
double operations(const Classifier& classifier, std::size_t voxels);
double operations(const Network& network, std::size_t voxels);

/// The most channels that a hidden layer gives.
std::size_t widest(const Network& network);

}  // namespace assay::model
