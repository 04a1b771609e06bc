// SPDX-License-Identifier: Apache-2.0
/// The output of any network, read as a class per voxel.
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
  Grid grid = {};              ///< of the volume that went in: its x is the tensor's last axis
  bool probabilities = false;  ///< a single channel is one, and no logit
  bool logits = false;
  bool labels = true;  ///< false: scores are needed, and nothing is labelled
  Executor executor = {};
};

/// Labels of [1, classes, depth, height, width] numbers, in single or half precision, by the
/// largest, ties to the lower class; of a single channel by probability > 0.5 or logit > 0; of
/// whole numbers as they are. Axes of length 1 in front may be left out. Throws Error::input when
/// the tensor is none of these.
Prediction decoded(const OnnxTensor& tensor, const OutputRules& rules);

}  // namespace assay::model
