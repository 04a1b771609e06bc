// SPDX-License-Identifier: Apache-2.0
/// Hashes of networks: the same for the same numbers, whatever file they came in.
#include <fmt/format.h>

#include <cstring>

#include "assay/base/bytes.hpp"
#include "assay/base/file.hpp"
#include "assay/model/files/model.hpp"

namespace assay::model {
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

}  // namespace assay::model
