// SPDX-License-Identifier: Apache-2.0
/// The graph in an ONNX file: its operations and the numbers they use.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assay/model/files/tensors.hpp"

namespace assay::model {

struct OnnxAttribute {
  float number = 0;
  std::int64_t integer = 0;
  std::string text = {};
  std::vector<std::int64_t> integers = {};
};

struct OnnxNode {
  std::string operation, name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, OnnxAttribute> attributes;

  /// "Conv 'conv1'": for messages.
  std::string title() const { return operation + " '" + name + "'"; }
  std::string input(std::size_t i) const { return i < inputs.size() ? inputs[i] : ""; }
  std::int64_t integer(const std::string& key, std::int64_t otherwise) const;
  double number(const std::string& key, double otherwise) const;
  std::vector<std::int64_t> integers(const std::string& key) const;
  std::string text(const std::string& key) const;
};

struct OnnxGraph {
  std::vector<OnnxNode> nodes;                  ///< without constants
  std::map<std::string, StoredTensor> tensors;  ///< initialisers and constants
  std::vector<std::string> inputs, outputs;     ///< inputs without initialisers
};

/// Throws Error::input when the bytes are not an ONNX model. Borrows the bytes.
OnnxGraph onnx_graph(std::span<const std::byte> bytes, const std::string& name);

}  // namespace assay::model
