// SPDX-License-Identifier: Apache-2.0
/// ONNX graphs that are a plain chain of the operations of a MeshNet.
#include "assay/model/files/onnx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/model/engine/builder.hpp"
#include "assay/model/files/model.hpp"
#include "assay/model/files/protobuf.hpp"
#include "assay/model/files/tensors.hpp"

namespace assay::model {

/// Field numbers of onnx.proto, which never change.
namespace onnx_field {

enum Model { graph = 7 };
enum Graph { node = 1, initializer = 5, input = 11, output = 12 };
enum Node { node_input = 1, node_output = 2, node_name = 3, operation = 4, attribute = 5 };
enum Attribute {
  attribute_name = 1,
  number = 2,
  integer = 3,
  text = 4,
  tensor = 5,
  subgraph = 6,
  integers = 8
};
enum Tensor {
  dims = 1,
  data_type = 2,
  float_data = 4,
  tensor_name = 8,
  raw_data = 9,
  external = 13
};
enum Entry { key = 1, value = 2 };

}  // namespace onnx_field

namespace {

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

/// Throws Error::input when the bytes are not an ONNX model. Borrows the bytes.
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

/// A graph that is being turned into a network.
struct Chain {
  const OnnxGraph& graph;
  const std::string& file;
  NetworkBuilder builder = {};

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Error::Kind::input, file, why);
  }
  [[noreturn]] void refuse(const OnnxNode& node, const std::string& why) const {
    refuse(node.title() + ": " + why);
  }
  const StoredTensor& tensor(const OnnxNode& node, std::size_t input) const {
    const auto found = graph.tensors.find(node.input(input));
    if (found == graph.tensors.end())
      refuse(node, "its input '" + node.input(input) + "' is not a constant");
    return found->second;
  }
  std::vector<float> numbers(const OnnxNode& node, std::size_t input) const {
    return node.input(input).empty() ? std::vector<float>{} : floats(tensor(node, input));
  }
};

/// The value that all elements of a list share; `otherwise` when the list is empty.
std::int64_t uniform(const Chain& chain, const OnnxNode& node, const std::string& key,
                     std::int64_t otherwise) {
  const std::vector<std::int64_t> found = node.integers(key);
  if (found.empty()) return otherwise;
  if (std::ranges::count(found, found.front()) != std::ssize(found))
    chain.refuse(node, key + " is not the same along all axes");
  return found.front();
}

void add_convolution(Chain& chain, const OnnxNode& node) {
  const StoredTensor& weight = chain.tensor(node, 1);
  const auto& shape = weight.shape;
  if (shape.size() != 5 || shape[2] != shape[3] || shape[3] != shape[4])
    chain.refuse(node, "its weight has the shape " + shape_text(shape) +
                           "; only cubes over three axes can be run");
  const std::int64_t dilation = uniform(chain, node, "dilations", 1);
  const std::int64_t reach = shape[2] == 3 ? dilation : 0;
  const std::string automatic = node.text("auto_pad");
  const bool keeps_size = automatic.starts_with("SAME") || uniform(chain, node, "pads", 0) == reach;
  if (dilation < 1 || !keeps_size || uniform(chain, node, "strides", 1) != 1 ||
      node.integer("group", 1) != 1)
    chain.refuse(node,
                 "only convolutions that keep the size of the volume can be run: padding as "
                 "large as the dilation, stride 1, one group");
  chain.builder.add(FileConvolution{.name = node.name,
                                    .outputs = shape[0],
                                    .inputs = shape[1],
                                    .side = shape[2],
                                    .dilation = static_cast<std::size_t>(dilation),
                                    .weights = floats(weight),
                                    .bias = chain.numbers(node, 2)});
}

void add_batch_normalisation(Chain& chain, const OnnxNode& node) {
  chain.builder.add(FileBatchNormalisation{.name = node.name,
                                           .scale = chain.numbers(node, 1),
                                           .shift = chain.numbers(node, 2),
                                           .mean = chain.numbers(node, 3),
                                           .variance = chain.numbers(node, 4),
                                           .epsilon = node.number("epsilon", 1e-5)});
}

void add_instance_normalisation(Chain& chain, const OnnxNode& node) {
  FileNormalisation out = {.name = node.name, .epsilon = node.number("epsilon", 1e-5)};
  out.scale = chain.numbers(node, 1);
  out.shift = chain.numbers(node, 2);
  const bool is_plain = std::ranges::count(out.scale, 1.0F) == std::ssize(out.scale) &&
                        std::ranges::count(out.shift, 0.0F) == std::ssize(out.shift);
  if (is_plain) {
    out.scale.clear();
    out.shift.clear();
  } else {
    out.kind = Normalisation::group;  // with one channel per group it is an instance normalisation
    out.groups = out.scale.size();
  }
  chain.builder.add(std::move(out));
}

void add_group_normalisation(Chain& chain, const OnnxNode& node) {
  chain.builder.add(
      FileNormalisation{.name = node.name,
                        .kind = Normalisation::group,
                        .groups = static_cast<std::size_t>(node.integer("num_groups", 0)),
                        .scale = chain.numbers(node, 1),
                        .shift = chain.numbers(node, 2),
                        .epsilon = node.number("epsilon", 1e-5)});
}

void add_relu(Chain& chain, const OnnxNode& node) {
  chain.builder.add(Activation::relu, node.name);
}

void add_elu(Chain& chain, const OnnxNode& node) {
  if (node.number("alpha", 1) != 1) chain.refuse(node, "its alpha is not 1");
  chain.builder.add(Activation::elu, node.name);
}

void add_gelu(Chain& chain, const OnnxNode& node) {
  const std::string approximate = node.text("approximate");
  if (!approximate.empty() && approximate != "none")
    chain.refuse(node, "is approximated by " + approximate + "; only the exact one can be run");
  chain.builder.add(Activation::gelu, node.name);
}

/// For operations at the end that do not change which class is the largest.
void end(Chain& chain, const OnnxNode& node) {
  if (!chain.builder.has_classifier()) chain.refuse(node, "comes before the 1x1x1 convolution");
}

void skip(Chain&, const OnnxNode&) {}

struct Operation {
  std::string_view name;
  void (*add)(Chain& chain, const OnnxNode& node);
};

constexpr std::array operations_known = {
    Operation{"Conv", add_convolution},
    Operation{"Relu", add_relu},
    Operation{"Elu", add_elu},
    Operation{"Gelu", add_gelu},
    Operation{"BatchNormalization", add_batch_normalisation},
    Operation{"InstanceNormalization", add_instance_normalisation},
    Operation{"GroupNormalization", add_group_normalisation},
    Operation{"Identity", skip},
    Operation{"Dropout", skip},
    Operation{"Softmax", end},
    Operation{"LogSoftmax", end},
    Operation{"ArgMax", end}};

/// x / sqrt(2), Erf, + 1, x *, * 0.5: how exporters write a GELU.
constexpr std::array<std::string_view, 5> gelu_steps = {"Div", "Erf", "Add", "Mul", "Mul"};
constexpr std::array gelu_constants = {std::pair(0, 1.41421356), std::pair(2, 1.0),
                                       std::pair(4, 0.5)};

bool has_constant(const Chain& chain, const OnnxNode& node, double value) {
  const auto found = chain.graph.tensors.find(node.input(1));
  if (found == chain.graph.tensors.end() || found->second.bytes.size() > sizeof(double))
    return false;
  const std::vector<float> numbers = floats(found->second);
  return numbers.size() == 1 && std::fabs(numbers[0] - value) < 1e-6;
}

bool is_gelu(const Chain& chain, std::span<const OnnxNode> nodes, const std::string& voxels) {
  if (nodes.size() < gelu_steps.size()) return false;
  for (std::size_t i = 0; i < gelu_steps.size(); ++i)
    if (nodes[i].operation != gelu_steps[i]) return false;
  for (const auto& [step, value] : gelu_constants)
    if (!has_constant(chain, nodes[static_cast<std::size_t>(step)], value)) return false;
  const auto follows = [&](std::size_t i) { return nodes[i].input(0) == nodes[i - 1].outputs[0]; };
  const OnnxNode& product = nodes[3];
  return nodes[0].input(0) == voxels && follows(1) && follows(2) && product.input(0) == voxels &&
         product.input(1) == nodes[2].outputs[0] && follows(4);
}

std::string operations_in(const OnnxGraph& graph) {
  std::vector<std::string> names;
  for (const OnnxNode& node : graph.nodes)
    if (std::ranges::count(names, node.operation) == 0 && names.size() < 12)
      names.push_back(node.operation);
  return joined(names);
}

/// Takes one operation, or the five of a GELU, from the front. Returns the remaining ones.
std::span<const OnnxNode> taken(Chain& chain, std::span<const OnnxNode> nodes,
                                std::string& voxels) {
  const bool gelu = is_gelu(chain, nodes, voxels);
  const OnnxNode& node = nodes.front();
  const auto row = std::ranges::find(operations_known, node.operation, &Operation::name);
  if (!gelu && (row == operations_known.end() || node.input(0) != voxels))
    chain.refuse(fmt::format(
        "is not a plain chain of convolutions: {} cannot be part of one; the graph has {} ({}) and "
        "needs an ONNX runtime",
        node.title(), counted(chain.graph.nodes.size(), "operation"), operations_in(chain.graph)));
  if (gelu)
    chain.builder.add(Activation::gelu, node.name);
  else
    row->add(chain, node);
  const std::size_t used = gelu ? gelu_steps.size() : 1;
  voxels = nodes[used - 1].outputs.front();
  return nodes.subspan(used);
}

}  // namespace

Network onnx_network(std::span<const std::byte> bytes, const std::string& name) {
  const OnnxGraph graph = onnx_graph(bytes, name);
  Chain chain = {graph, name};
  if (graph.inputs.size() != 1 || graph.outputs.size() != 1)
    chain.refuse(fmt::format("has {} and {}; a MeshNet has one of each",
                             counted(graph.inputs.size(), "input"),
                             counted(graph.outputs.size(), "output")));
  std::string voxels = graph.inputs.front();
  for (std::span<const OnnxNode> rest = graph.nodes; !rest.empty();)
    rest = taken(chain, rest, voxels);
  if (voxels != graph.outputs.front())
    chain.refuse("its output '" + graph.outputs.front() + "' is not the end of its operations");
  return std::move(chain.builder).network();
}

// Field numbers are those of onnx.proto, which never change.

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t deepest = 16;  ///< levels of graphs within graphs

constexpr std::array<std::string_view, 3> bounding = {"Sigmoid", "HardSigmoid", "Softmax"};
constexpr std::array<std::string_view, 9> passing = {
    "Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Slice", "Gather", "Transpose", "Clip"};

/// How a value is computed: an operation and its first input.
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

  /// Goes back from the first output past operations that keep probabilities probabilities.
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
