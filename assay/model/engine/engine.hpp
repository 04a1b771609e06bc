// SPDX-License-Identifier: Apache-2.0
/// Runs a network of the MeshNet family on a whole volume: voxels in, labels out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/executor.hpp"
#include "assay/model.hpp"
#include "assay/model/engine/kernels.hpp"
#include "assay/model/engine/memory.hpp"
#include "assay/model/engine/network.hpp"
#include "assay/model/engine/packing.hpp"
#include "assay/volume.hpp"

namespace assay::model {

/// The memory of a prediction, kept from volume to volume. It serves one prediction at a time.
class PredictionWorkspace {
 public:
  FloatMemory input, planes;
  ScratchPool scratch;
};

struct EngineSettings {
  TensorAxes axes = TensorAxes::zyx;
  const Kernels* kernels = nullptr;  ///< null: the fastest for this processor
};

/// A network whose weights are packed for this processor. Safe to share between threads.
class MeshNetEngine {
 public:
  /// Throws what require_valid throws.
  explicit MeshNetEngine(Network network, const EngineSettings& settings = {});

  const Network& network() const { return network_; }

  /// Labels of a volume of any size. Throws Error::input when it is empty or has voxels that are
  /// not finite numbers, Error::unsupported when memory is short.
  Prediction predict(View<float> volume, PredictionWorkspace& workspace,
                     const PredictionSettings& settings = {}) const;

 private:
  Network network_;
  const Kernels* kernels_;
  std::vector<PackedConvolution> hidden_;
  PackedClassifier classifier_;
};

/// What a prediction holds in memory at once, apart from about 1 MB for each thread.
std::size_t prediction_bytes(const Network& network, const Shape& shape);

}  // namespace assay::model
