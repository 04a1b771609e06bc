// SPDX-License-Identifier: Apache-2.0
/// The back-end `onnx`: any segmentation model that ONNX Runtime can run.
#pragma once

#include <filesystem>
#include <memory>

#include "assay/model.hpp"

namespace assay::model {

struct OnnxSettings {
  std::filesystem::path model = {};
  TensorAxes axes = TensorAxes::zyx;
  std::filesystem::path library = {};  ///< of ONNX Runtime; "": the usual places
  unsigned jobs = 0;                   ///< its threads; 0: all cores
};

/// Loads the library, then the model. Throws Error::unsupported when there is no library,
/// Error::input naming the model when it cannot be loaded or takes no image.
std::unique_ptr<Predictor> onnx_predictor(const OnnxSettings& settings);

}  // namespace assay::model
