// SPDX-License-Identifier: Apache-2.0
/// What assay must know about an ONNX file that another program runs.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>

namespace assay::model {

struct OnnxOutline {
  std::set<std::string> files = {};  ///< where it stores numbers, relative to its own folder
  bool gives_probabilities = false;  ///< its first output comes out of a Sigmoid or Softmax
};

/// Throws Error::input when the bytes are not an ONNX model. `name` is used in messages.
OnnxOutline onnx_outline(std::span<const std::byte> bytes, const std::string& name);

}  // namespace assay::model
