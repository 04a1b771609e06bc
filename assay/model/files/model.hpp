// SPDX-License-Identifier: Apache-2.0
/// Reads networks from the files of other programs, recognised by their content.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/model.hpp"
#include "assay/model/engine/network.hpp"
#include "assay/model/files/tensors.hpp"

namespace assay::model {

/// A network, and where it comes from.
struct Model {
  Network network;
  std::string name = {};          ///< "MeshNet-26", "brainchop model5_gw_ae"; "" when unknown
  std::string architecture = {};  ///< where it is from: "file", "recognised", "options"
  std::string file = {};          ///< as given
  std::string format = {};        ///< "pytorch", "safetensors", "tfjs", "onnx"
};

/// Reads a model of any format. Throws Error naming the file and what was found instead of a model.
Model read_model(const std::filesystem::path& path, const ModelOptions& options = {});

/// For files that state everything. Throws Error::usage when the options state it too.
void require_no_options(const ModelOptions& options, const std::string& file);

/// The network of a state dict: named tensors without dilations and activations. These are taken
/// from `options`, or from a known model of the same shapes.
Model state_dict_model(std::span<const StoredTensor> tensors, const ModelOptions& options,
                       const std::string& name);

/// The name of a known model with these shapes, dilations and activation; else "".
std::string known_name(const Network& network);

/// The weight files that a tfjs model.json names, as it names them. Throws Error::input.
std::vector<std::string> tfjs_weight_paths(std::string_view json, const std::string& name);

/// The network of a tfjs model.json and the numbers of its weight files, one after the other.
Network tfjs_network(std::string_view json, std::span<const std::byte> weights,
                     const std::string& name);

/// Whether the bytes start as an ONNX file does.
bool is_onnx(std::span<const std::byte> bytes);

/// The network of an ONNX file, when it is a plain chain of the operations that the engine has.
Network onnx_network(std::span<const std::byte> bytes, const std::string& name);

/// SHA-256 of the weights as they are run, batch normalisation folded: for each array a line
/// "hidden.0.weight 26,1,3,3,3\n" and its little-endian float32 numbers, layer by layer, weight,
/// bias, then scale and shift of a group normalisation; classifier.weight and classifier.bias last.
/// The same weights give the same hash in every format.
std::string weights_sha256(const Network& network);

/// The same with a line before each layer that states its dilation, activation and normalisation.
/// Networks with equal hashes predict the same.
std::string network_sha256(const Network& network);

/// `assay.model/1`. Costs are for a volume of that shape.
std::string model_text(const Model& model, const Shape& shape);

}  // namespace assay::model
