// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/model_report.hpp"

#include <fmt/format.h>

#include <array>

#include "assay/model/engine/engine.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

/// "147,474".
std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

/// "4.93 TFLOP": three digits and a unit.
std::string operations_text(double count) {
  constexpr std::array units = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  std::size_t unit = 0;
  for (; count >= 1000 && unit + 1 < units.size(); ++unit) count /= 1000;
  return fmt::format("{:.3g} {}", count, units[unit]);
}

std::string normalisation_text(const model::HiddenLayer& layer) {
  if (layer.has_folded_norm) return "batch, folded";
  const std::string text(name(layer.normalisation));
  return layer.normalisation == model::Normalisation::group
             ? fmt::format("{} ({})", text, layer.groups)
             : text;
}

std::string layer_table(const model::Network& network, std::size_t voxels) {
  const std::vector<Column> columns = {{"layer"},
                                       {"kernel", Align::left},
                                       {"dilation"},
                                       {"channels", Align::left},
                                       {"normalisation", Align::left},
                                       {"activation", Align::left},
                                       {"parameters"},
                                       {"operations"}};
  std::vector<std::vector<std::string>> rows;
  for (const model::HiddenLayer& layer : network.hidden)
    rows.push_back({std::to_string(rows.size() + 1), "3x3x3", std::to_string(layer.dilation),
                    fmt::format("{} to {}", layer.inputs, layer.outputs), normalisation_text(layer),
                    std::string(name(layer.activation)), grouped(layer.trainable),
                    operations_text(model::operations(layer, voxels))});
  const model::Classifier& last = network.classifier;
  rows.push_back({std::to_string(rows.size() + 1), "1x1x1", "1",
                  fmt::format("{} to {}", last.inputs, last.classes), "none", "none, then argmax",
                  grouped(last.trainable), operations_text(model::operations(last, voxels))});
  return text_table(columns, rows);
}

/// Who says which dilations and activations there are.
struct Origin {
  std::string_view key, sentence;
};
constexpr std::array origins = {
    Origin{"file", "as the file says"},
    Origin{"recognised", "recognised by its shapes; the file holds only weights"},
    Origin{"options", "as the options say; the file holds only weights"}};

std::string_view origin(const std::string& key) {
  for (const Origin& row : origins)
    if (row.key == key) return row.sentence;
  return "unknown";
}

}  // namespace

std::string model_report(const model::Model& model, const Shape& shape) {
  const model::Network& network = model.network;
  const std::size_t voxels = shape[0] * shape[1] * shape[2],
                    field = model::receptive_field(network);
  std::string out = fmt::format("{}: {}, {}\narchitecture: {}\n\n", printable(model.file),
                                model.name.empty() ? "a network of the MeshNet family" : model.name,
                                model.format, origin(model.architecture));
  out += layer_table(network, voxels);
  out += fmt::format("\nparameters       {}\n", grouped(model::parameters(network)));
  out += fmt::format("classes          {}\n", network.classifier.classes);
  out += fmt::format("receptive field  {0} x {0} x {0}\n", field);
  out += fmt::format("a volume         {} x {} x {}: {}, {:.2f} GB of memory\n", shape[0], shape[1],
                     shape[2], operations_text(model::operations(network, voxels)),
                     static_cast<double>(model::prediction_bytes(network, shape)) / 1e9);
  out += fmt::format("weights sha256   {}\n", model::weights_sha256(network));
  out += fmt::format("network sha256   {}\n", model::network_sha256(network));
  return out;
}

}  // namespace assay::report
