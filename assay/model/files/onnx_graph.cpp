// SPDX-License-Identifier: Apache-2.0
/// Field numbers are those of onnx.proto, which never change.
#include "assay/model/files/onnx_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "assay/error.hpp"
#include "assay/model/files/onnx_fields.hpp"
#include "assay/model/files/protobuf.hpp"
#include "assay/model/files/tensors.hpp"

namespace assay::model {
namespace {

struct DataType {
  std::uint64_t number;
  ElementType type;
};
constexpr std::array data_types = {
    DataType{1, ElementType::float32}, DataType{10, ElementType::float16},
    DataType{11, ElementType::float64}, DataType{16, ElementType::bfloat16}};

StoredTensor tensor_of(std::span<const std::byte> message, const std::string& file) {
  StoredTensor out = {.type = ElementType::other};
  for (const ProtobufField& field : protobuf_fields(message, file)) {
    if (field.number == onnx_field::tensor_name) out.name = field.text();
    if (field.number == onnx_field::raw_data || field.number == onnx_field::float_data)
      out.bytes = field.bytes;
    if (field.number == onnx_field::external)
      refuse(file, "keeps its numbers in other files; export it as a single file");
    if (field.number == onnx_field::dims)
      for (const std::int64_t side : protobuf_integers(field, file))
        out.shape.push_back(static_cast<std::size_t>(side));
    if (field.number == onnx_field::data_type) {
      const auto type = std::ranges::find(data_types, field.value, &DataType::number);
      if (type != data_types.end()) out.type = type->type;
    }
  }
  return out;
}

/// An attribute, and the tensor of a constant.
struct NamedAttribute {
  std::string name;
  OnnxAttribute value;
  std::span<const std::byte> tensor;
};

NamedAttribute attribute_of(std::span<const std::byte> message, const std::string& file) {
  NamedAttribute out;
  for (const ProtobufField& field : protobuf_fields(message, file)) {
    if (field.number == onnx_field::attribute_name) out.name = field.text();
    if (field.number == onnx_field::number)
      out.value.number = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == onnx_field::integer)
      out.value.integer = static_cast<std::int64_t>(field.value);
    if (field.number == onnx_field::text) out.value.text = field.text();
    if (field.number == onnx_field::tensor) out.tensor = field.bytes;
    if (field.number == onnx_field::integers)
      for (const std::int64_t value : protobuf_integers(field, file))
        out.value.integers.push_back(value);
  }
  return out;
}

void add_node(OnnxGraph& graph, std::span<const std::byte> message, const std::string& file) {
  OnnxNode node;
  std::span<const std::byte> constant;
  for (const ProtobufField& field : protobuf_fields(message, file)) {
    if (field.number == onnx_field::node_input) node.inputs.push_back(field.text());
    if (field.number == onnx_field::node_output) node.outputs.push_back(field.text());
    if (field.number == onnx_field::node_name) node.name = field.text();
    if (field.number == onnx_field::operation) node.operation = field.text();
    if (field.number == onnx_field::attribute) {
      NamedAttribute found = attribute_of(field.bytes, file);
      if (found.name == "value") constant = found.tensor;
      node.attributes[found.name] = std::move(found.value);
    }
  }
  if (node.outputs.empty()) refuse(file, node.title() + " gives nothing");
  if (node.operation == "Constant")
    graph.tensors[node.outputs.front()] = tensor_of(constant, file);
  else
    graph.nodes.push_back(std::move(node));
}

/// The name of a ValueInfoProto.
std::string value_name(std::span<const std::byte> message, const std::string& file) {
  for (const ProtobufField& field : protobuf_fields(message, file))
    if (field.number == 1) return field.text();
  return "";
}

}  // namespace

std::int64_t OnnxNode::integer(const std::string& key, std::int64_t otherwise) const {
  const auto found = attributes.find(key);
  return found != attributes.end() ? found->second.integer : otherwise;
}

double OnnxNode::number(const std::string& key, double otherwise) const {
  const auto found = attributes.find(key);
  return found != attributes.end() ? double{found->second.number} : otherwise;
}

std::vector<std::int64_t> OnnxNode::integers(const std::string& key) const {
  const auto found = attributes.find(key);
  return found != attributes.end() ? found->second.integers : std::vector<std::int64_t>{};
}

std::string OnnxNode::text(const std::string& key) const {
  const auto found = attributes.find(key);
  return found != attributes.end() ? found->second.text : "";
}

OnnxGraph onnx_graph(std::span<const std::byte> bytes, const std::string& name) {
  OnnxGraph out;
  for (const ProtobufField& model : protobuf_fields(bytes, name)) {
    if (model.number != onnx_field::graph || !model.is_bytes) continue;
    for (const ProtobufField& field : protobuf_fields(model.bytes, name)) {
      if (field.number == onnx_field::node) add_node(out, field.bytes, name);
      if (field.number == onnx_field::input) out.inputs.push_back(value_name(field.bytes, name));
      if (field.number == onnx_field::output) out.outputs.push_back(value_name(field.bytes, name));
      if (field.number != onnx_field::initializer) continue;
      StoredTensor tensor = tensor_of(field.bytes, name);
      out.tensors[tensor.name] = tensor;
    }
  }
  if (out.nodes.empty()) refuse(name, "is not an ONNX model, or has no operations");
  std::erase_if(out.inputs, [&](const std::string& input) { return out.tensors.contains(input); });
  return out;
}

}  // namespace assay::model
