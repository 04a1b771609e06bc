// SPDX-License-Identifier: Apache-2.0
#include "assay/model/files/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/base/bytes.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/foreign_files.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/files/tensors.hpp"

namespace assay::model {
namespace {

namespace fs = std::filesystem;
using FileBytes = std::span<const std::byte>;

bool starts_with(FileBytes bytes, std::string_view text) {
  return text_of(bytes).starts_with(text);
}

/// What the reader of a format gets.
struct Source {
  const fs::path& path;
  std::string name;
  FileBytes bytes;
  const ModelOptions& options;
};

bool is_checkpoint(FileBytes bytes) {
  return starts_with(bytes, "PK\x03\x04");
}

Model checkpoint_model(const Source& source) {
  return state_dict_model(checkpoint_tensors(source.bytes, source.name), source.options,
                          source.name);
}

bool is_safetensors(FileBytes bytes) {
  return bytes.size() > 8 && bytes[8] == std::byte{'{'} && bytes[6] == std::byte{0} &&
         bytes[7] == std::byte{0};
}

Model safetensors_model(const Source& source) {
  return state_dict_model(safetensors_tensors(source.bytes, source.name), source.options,
                          source.name);
}

bool is_tfjs(FileBytes bytes) {
  return first_sign(text_of(bytes)) == '{';
}

/// The file that a manifest names. brainchop renames a model's only weight file without changing
/// the manifest, so a single .bin file is taken in its place.
fs::path weight_file(const fs::path& model, const std::string& named, bool is_only) {
  const fs::path folder = model.parent_path();
  fs::path there = folder / named;
  std::error_code ignored;
  if (fs::exists(there, ignored) || !is_only) return there;
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, ignored))
    if (entry.path().extension() == ".bin") others.push_back(entry.path());
  return others.size() == 1 ? others.front() : there;
}

Model tfjs_model(const Source& source) {
  const std::string_view json = text_of(source.bytes);
  const std::vector<std::string> paths = tfjs_weight_paths(json, source.name);
  std::vector<std::byte> weights;
  for (const std::string& path : paths) {
    const Buffer file = read_bytes(weight_file(source.path, path, paths.size() == 1));
    weights.insert(weights.end(), file.bytes().begin(), file.bytes().end());
  }
  return {.network = tfjs_network(json, weights, source.name), .architecture = "file"};
}

Model onnx_model(const Source& source) {
  return {.network = onnx_network(source.bytes, source.name), .architecture = "file"};
}

struct Format {
  const char* name;
  bool (*is)(FileBytes bytes);
  Model (*read)(const Source& source);
};

constexpr std::array formats = {Format{"pytorch", is_checkpoint, checkpoint_model},
                                Format{"safetensors", is_safetensors, safetensors_model},
                                Format{"tfjs", is_tfjs, tfjs_model},
                                Format{"onnx", is_onnx, onnx_model}};

/// Other files that people try, and what to do with them.
struct Stranger {
  std::string_view start, what;
};

constexpr std::array strangers = {
    Stranger{"\x89HDF", "is a Keras file (HDF5); convert it with tensorflowjs_converter"},
    Stranger{"\x80\x02",
             "is a pickle: an old PyTorch file, or one that was not written by "
             "torch.save; load and save it again with PyTorch 1.6 or newer"},
    Stranger{"\x80\x04", "is a pickle that was not written by torch.save"},
    Stranger{"\x1f\x8b", "is compressed; unpack it with gunzip first"}};

[[noreturn]] void refuse_stranger(const std::string& file, FileBytes bytes) {
  if (bytes.empty()) refuse(file, "is empty");
  const auto foreign = foreign_kind(bytes);
  const std::string_view image = foreign ? foreign->name : image_format(bytes);
  if (!image.empty())
    refuse(file, "is an image (" + std::string(image) +
                     "), where a model is expected; the model comes first, then the images: assay "
                     "evaluate MODEL DATA, assay predict MODEL IMAGE…");
  for (const Stranger& stranger : strangers)
    if (starts_with(bytes, stranger.start)) refuse(file, std::string(stranger.what));
  std::string found;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 8)))
    found += fmt::format(" {:02x}", std::to_integer<unsigned>(byte));
  refuse(file,
         "is not a model: a PyTorch checkpoint, a safetensors file, a tfjs model.json or an ONNX "
         "file is needed; this one starts with" +
             found);
}

}  // namespace

void require_no_options(const ModelOptions& options, const std::string& file) {
  if (!options.dilations.empty() || options.activation)
    throw Error(Error::Kind::usage, file,
                "already states its dilations and activations; leave out "
                "--dilations and --activation");
}

/// An ONNX file is a message whose first field is the version of the format, a small number.
bool is_onnx(FileBytes bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x08} && bytes[1] < std::byte{0x40};
}

Model read_model(const fs::path& path, const ModelOptions& options) {
  const Buffer file = read_bytes(path);
  const std::string name = path.string();
  const auto format =
      std::ranges::find_if(formats, [&](const Format& f) { return f.is(file.bytes()); });
  if (format == formats.end()) refuse_stranger(name, file.bytes());
  try {
    Model model = format->read({path, name, file.bytes(), options});
    if (model.architecture == "file") require_no_options(options, name);
    model.file = name;
    model.format = format->name;
    if (model.name.empty()) model.name = published_name(model.network);
    if (model.name.empty()) model.name = known_name(model.network);
    return model;
  } catch (const Error& e) {
    throw e.about(name);
  }
}

// Hashes of networks: equal numbers have equal hashes, whatever file they came from.

namespace {

/// The text and numbers that are hashed.
class Canonical {
 public:
  void line(const std::string& text) { bytes_ += text + "\n"; }
  void array(const std::string& name, const std::string& shape, const std::vector<float>& values) {
    line(name + " " + shape);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + values.size() * sizeof(float));
    auto* out = reinterpret_cast<std::byte*>(bytes_.data() + at);
    for (std::size_t i = 0; i < values.size(); ++i)
      store_little_endian(out + i * sizeof(float), values[i]);
  }
  std::string hash() const { return sha256(bytes_); }

 private:
  std::string bytes_;
};

void add(Canonical& out, const HiddenLayer& layer, const std::string& name) {
  out.array(name + ".weight", fmt::format("{},{},3,3,3", layer.outputs, layer.inputs),
            layer.weights);
  out.array(name + ".bias", std::to_string(layer.outputs), layer.bias);
  for (const auto& [values, part] :
       {std::pair(&layer.scale, ".scale"), std::pair(&layer.shift, ".shift")})
    if (!values->empty()) out.array(name + part, std::to_string(values->size()), *values);
}

std::string hash_of(const Network& network, bool with_architecture) {
  Canonical out;
  for (std::size_t i = 0; i < network.hidden.size(); ++i) {
    const HiddenLayer& layer = network.hidden[i];
    if (with_architecture)
      out.line(
          fmt::format("hidden.{} dilation={} activation={} normalisation={} groups={} epsilon={}",
                      i, layer.dilation, name(layer.activation), name(layer.normalisation),
                      layer.groups, layer.epsilon));
    add(out, layer, fmt::format("hidden.{}", i));
  }
  const Classifier& last = network.classifier;
  out.array("classifier.weight", fmt::format("{},{},1,1,1", last.classes, last.inputs),
            last.weights);
  out.array("classifier.bias", std::to_string(last.classes), last.bias);
  return out.hash();
}

}  // namespace

std::string weights_sha256(const Network& network) {
  return hash_of(network, false);
}

std::string network_sha256(const Network& network) {
  return hash_of(network, true);
}

// assay.model/1: what a model is and what it costs.

namespace {

Json layer_json(const HiddenLayer& layer, std::size_t voxels) {
  Json out = {{"kernel", {3, 3, 3}},
              {"dilation", layer.dilation},
              {"inputs", layer.inputs},
              {"outputs", layer.outputs},
              {"normalisation", name(layer.normalisation)},
              {"batch_norm_folded", layer.has_folded_norm},
              {"activation", name(layer.activation)},
              {"parameters", layer.trainable},
              {"operations", operations(layer, voxels)}};
  if (layer.normalisation == Normalisation::group) out["groups"] = layer.groups;
  return out;
}

Json classifier_json(const Classifier& last, std::size_t voxels) {
  return {{"kernel", {1, 1, 1}},          {"dilation", 1},
          {"inputs", last.inputs},        {"outputs", last.classes},
          {"normalisation", "none"},      {"activation", "none"},
          {"parameters", last.trainable}, {"operations", operations(last, voxels)}};
}

}  // namespace

std::string model_text(const Model& model, const Shape& shape) {
  const Network& network = model.network;
  const std::size_t voxels = shape[0] * shape[1] * shape[2];
  Json layers = Json::array();
  for (const HiddenLayer& layer : network.hidden) layers.push_back(layer_json(layer, voxels));
  layers.push_back(classifier_json(network.classifier, voxels));
  const Json out = {{"schema", "assay.model/1"},
                    {"file", model.file},
                    {"format", model.format},
                    {"model_name", or_null(model.name)},
                    {"architecture_from", model.architecture},
                    {"backend", "meshnet"},
                    {"parameters", parameters(network)},
                    {"receptive_field", receptive_field(network)},
                    {"input_channels", 1},
                    {"classes", network.classifier.classes},
                    {"layers", layers},
                    {"weights_sha256", weights_sha256(network)},
                    {"network_sha256", network_sha256(network)},
                    {"cost",
                     {{"shape", {shape[0], shape[1], shape[2]}},
                      {"operations", operations(network, voxels)},
                      {"memory_bytes", prediction_bytes(network, shape)}}}};
  return to_text(out) + "\n";
}

}  // namespace assay::model
