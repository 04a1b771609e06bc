// SPDX-License-Identifier: Apache-2.0
/// Builds a network from the operations that a model's file lists, in their order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/model/engine/network.hpp"

namespace assay::model {

/// A convolution as stored in files; `side` is 3 for a hidden layer, 1 for the classifier.
struct FileConvolution {
  std::string name;  ///< for messages
  std::size_t outputs = 0, inputs = 0, side = 3, dilation = 1;
  std::vector<float> weights = {};  ///< [output][input][depth][height][width]
  std::vector<float> bias = {};     ///< empty: none
};

struct FileBatchNormalisation {
  std::string name;
  std::vector<float> scale = {}, shift = {};    ///< empty: 1 and 0
  std::vector<float> mean = {}, variance = {};  ///< as running averages
  double epsilon = 1e-5;
};

struct FileNormalisation {
  std::string name;
  Normalisation kind = Normalisation::instance;
  std::size_t groups = 1;
  std::vector<float> scale = {}, shift = {};  ///< empty: 1 and 0
  double epsilon = 1e-5;
};

/// Takes operations in the order in which voxels pass through them. Every function throws an
/// Error::input naming the operation when it cannot be part of a network of this family.
class NetworkBuilder {
 public:
  void add(FileConvolution convolution);
  /// Folded into the convolution before it: W g / s, (b - m) g / s + h.
  void add(const FileBatchNormalisation& normalisation);
  void add(FileNormalisation normalisation);
  void add(Activation activation, const std::string& name);

  /// Whether the 1x1x1 convolution at the end has been added.
  bool has_classifier() const { return has_classifier_; }

  /// The network, checked.
  Network network() &&;

 private:
  HiddenLayer& open_layer(const std::string& name, const std::string& what);
  void add_classifier(FileConvolution&& convolution);

  Network network_;
  std::string last_convolution_;
  bool has_classifier_ = false, is_normalised_ = false, is_activated_ = false;
};

}  // namespace assay::model
