// SPDX-License-Identifier: Apache-2.0
/// Weights in the order in which the kernels read them.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/model/engine/kernels.hpp"
#include "assay/model/engine/network.hpp"

namespace assay::model {

/// The weights of a hidden layer; `plan()` borrows them.
class PackedConvolution {
 public:
  PackedConvolution(const HiddenLayer& layer, TensorAxes axes, const Kernels& kernels);

  /// How a tile is to be computed. If a normalisation follows, activation is left to it.
  ConvolutionPlan plan() const;
  /// The scratch memory of one tile.
  std::size_t scratch_floats() const;

 private:
  ConvolutionPlan plan_;
  std::vector<float> weights_, bias_;
};

class PackedClassifier {
 public:
  explicit PackedClassifier(const Classifier& classifier);
  ClassifierPlan plan() const;

 private:
  std::size_t inputs_, classes_;
  std::vector<float> weights_, bias_;
};

}  // namespace assay::model
