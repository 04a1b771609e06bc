// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/model_report.hpp"

#include <fmt/format.h>

#include <array>

#include "assay/model/engine/engine.hpp"
#include "assay/model/recipe/recipe_file.hpp"
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

namespace {

constexpr std::array grid_texts = {
    "the image's own",
    "{:.6g} mm, corner voxel to corner voxel (scipy.ndimage.zoom)",
    "{:.6g} mm along the image's axes, around its centre voxel (nibabel conform)",
    "{:.6g} mm along the scanner's axes, around the image's centre (mri_convert --conform)",
};

std::string grid_text(const model::Recipe& recipe) {
  return fmt::format(fmt::runtime(grid_texts[static_cast<std::size_t>(recipe.grid)]),
                     recipe.spacing_mm);
}

std::string shape_text(const model::Recipe& recipe) {
  if (!recipe.shape) return "as it comes";
  const Shape& s = *recipe.shape;
  return fmt::format("{}x{}x{}, cut or padded with zeros around the centre", s[0], s[1], s[2]);
}

std::string bytes_text(const model::Recipe& recipe) {
  if (!recipe.to_bytes) return "no";
  return fmt::format(
      "0 to 255, from the minimum to the value below which {:.6g} % of the nonzero voxels lie",
      100 * recipe.bytes_upper);
}

std::string intensity_text(const model::Recipe& recipe) {
  if (recipe.intensity == model::IntensityRule::none) return "as they are";
  const std::string low = recipe.intensity == model::IntensityRule::min_max
                              ? "min"
                              : fmt::format("q{:.6g}", recipe.quantiles[0]);
  const std::string high = recipe.intensity == model::IntensityRule::min_max
                               ? "max"
                               : fmt::format("q{:.6g}", recipe.quantiles[1]);
  return fmt::format("(value - {}) / ({} - {}{}){}", low, high, low,
                     recipe.epsilon > 0 ? fmt::format(" + {:.6g}", recipe.epsilon) : "",
                     recipe.clip ? ", clipped to 0 ... 1" : "");
}

std::string components_text(const model::Recipe& recipe) {
  if (!recipe.largest_component && recipe.min_volume_ml == 0) return "all kept";
  std::string text = recipe.largest_component ? "the largest of each class" : "all";
  if (recipe.min_volume_ml > 0) text += fmt::format(" of at least {:.6g} ml", recipe.min_volume_ml);
  return text + fmt::format(", {} neighbours", recipe.connectivity);
}

}  // namespace

std::string recipe_report(const model::Recipe& recipe) {
  const std::array<std::pair<const char*, std::string>, 8> lines = {{
      {"orientation", recipe.orientation.empty() ? "as stored" : recipe.orientation},
      {"grid", grid_text(recipe)},
      {"shape", shape_text(recipe)},
      {"bytes", bytes_text(recipe)},
      {"intensities", intensity_text(recipe)},
      {"tensor axes", recipe.axes == model::TensorAxes::xyz ? "xyz" : "zyx"},
      {"components", components_text(recipe)},
      {"sha256", model::recipe_sha256(recipe)},
  }};
  std::string out = recipe.name + '\n';
  for (const auto& [what, text] : lines) out += fmt::format("  {:<13}{}\n", what, text);
  return out;
}

std::string builtin_recipes_report() {
  std::string out;
  for (const model::Recipe& recipe : model::builtin_recipes())
    out += fmt::format("{:<20}grid {}; intensities {}\n", recipe.name, grid_text(recipe),
                       intensity_text(recipe));
  return out;
}

std::string placement_report(const model::Placement& placement) {
  return fmt::format("from  {}\nto    {}\n", describe(placement.native), describe(placement.model));
}

}  // namespace assay::report
