// SPDX-License-Identifier: Apache-2.0
/// The output of any network, read as one class per voxel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/model/engine/engine.hpp"

namespace assay::model {

/// Element types by the numbers that ONNX gives them.
enum OnnxType : std::int32_t {
  onnx_float32 = 1,
  onnx_uint8 = 2,
  onnx_int32 = 6,
  onnx_int64 = 7,
  onnx_bool = 9,
  onnx_float16 = 10,
};

/// "float32", "type 23".
std::string onnx_type_name(std::int32_t type);

/// "1x3x?x?x?": dynamic sides are negative.
std::string onnx_shape_text(const std::vector<std::int64_t>& shape);

/// A borrowed tensor, the last axis fastest.
struct OnnxTensor {
  std::int32_t type = onnx_float32;
  std::vector<std::int64_t> shape = {};
  const void* data = nullptr;
};

struct OutputRules {
  Grid grid = {};              ///< of the input volume; its x is the tensor's last axis
  bool probabilities = false;  ///< the scores are probabilities rather than logits
  bool logits = false;
  bool labels = true;  ///< false: only scores are wanted
  Executor executor = {};
};

/// Labels from a tensor of shape [1, classes, depth, height, width]. For scores in single or half
/// precision the largest wins, and ties go to the lower class. A single channel of scores is
/// labelled where the probability is > 0.5 or the logit > 0. Whole numbers are taken as labels.
/// Leading axes of length 1 may be left out. Throws Error::input for any other tensor.
Prediction decoded(const OnnxTensor& tensor, const OutputRules& rules);

}  // namespace assay::model
