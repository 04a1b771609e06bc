// SPDX-License-Identifier: Apache-2.0
/// Field numbers are those of onnx.proto, which never change.
#include "assay/model/files/onnx_outline.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "assay/model/files/onnx_fields.hpp"
#include "assay/model/files/protobuf.hpp"

namespace assay::model {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t deepest = 16;  ///< graphs within graphs

constexpr std::array<std::string_view, 3> bounding = {"Sigmoid", "HardSigmoid", "Softmax"};
constexpr std::array<std::string_view, 9> passing = {
    "Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Slice", "Gather", "Transpose", "Clip"};

/// What makes a value: an operation, and the value that goes into it.
struct Maker {
  std::string operation, input;
};

struct Walk {
  const std::string& file;
  std::set<std::string> files = {};
  std::map<std::string, Maker> makers = {};
  std::string output = {};

  void tensor(Bytes message) {
    for (const ProtobufField& field : protobuf_fields(message, file)) {
      if (field.number != onnx_field::external) continue;
      std::string key, value;
      for (const ProtobufField& part : protobuf_fields(field.bytes, file)) {
        if (part.number == onnx_field::key) key = part.text();
        if (part.number == onnx_field::value) value = part.text();
      }
      if (key == "location") files.insert(value);
    }
  }

  void attribute(Bytes message, std::size_t depth) {
    for (const ProtobufField& field : protobuf_fields(message, file)) {
      if (field.number == onnx_field::tensor && field.is_bytes) tensor(field.bytes);
      if (field.number == onnx_field::subgraph && field.is_bytes) graph(field.bytes, depth + 1);
    }
  }

  void node(Bytes message, std::size_t depth) {
    Maker maker;
    std::string result;
    for (const ProtobufField& field : protobuf_fields(message, file)) {
      if (field.number == onnx_field::node_input && maker.input.empty()) maker.input = field.text();
      if (field.number == onnx_field::node_output && result.empty()) result = field.text();
      if (field.number == onnx_field::operation) maker.operation = field.text();
      if (field.number == onnx_field::attribute) attribute(field.bytes, depth);
    }
    if (depth == 0) makers[result] = maker;
  }

  void graph(Bytes message, std::size_t depth) {
    if (depth > deepest) return;
    for (const ProtobufField& field : protobuf_fields(message, file)) {
      if (field.number == onnx_field::node) node(field.bytes, depth);
      if (field.number == onnx_field::initializer) tensor(field.bytes);
      if (field.number == onnx_field::output && depth == 0 && output.empty())
        for (const ProtobufField& part : protobuf_fields(field.bytes, file))
          if (part.number == 1) output = part.text();
    }
  }

  /// Goes back from the first output over operations that leave values as they are.
  bool gives_probabilities() const {
    std::string value = output;
    for (std::size_t step = 0; step <= makers.size(); ++step) {
      const auto found = makers.find(value);
      if (found == makers.end()) return false;
      const Maker& maker = found->second;
      if (std::ranges::count(bounding, maker.operation) > 0) return true;
      if (std::ranges::count(passing, maker.operation) == 0) return false;
      value = maker.input;
    }
    return false;
  }
};

}  // namespace

OnnxOutline onnx_outline(Bytes bytes, const std::string& name) {
  Walk walk{.file = name};
  for (const ProtobufField& field : protobuf_fields(bytes, name))
    if (field.number == onnx_field::graph && field.is_bytes) walk.graph(field.bytes, 0);
  return {.files = std::move(walk.files), .gives_probabilities = walk.gives_probabilities()};
}

}  // namespace assay::model
