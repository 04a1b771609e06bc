// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/model_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "assay/base/text.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/report/text/printable.hpp"
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

/// Where the dilations and activations were taken from.
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
    "{} mm, corner voxel to corner voxel (scipy.ndimage.zoom)",
    "{} mm along the image's axes, around its centre voxel (nibabel conform)",
    "{} mm along the scanner's axes, around the image's centre (mri_convert --conform)",
};

std::string spacing_text(const Point& s) {
  if (s[0] == s[1] && s[1] == s[2]) return fmt::format("{:.6g}", s[0]);
  return fmt::format("{:.6g}x{:.6g}x{:.6g}", s[0], s[1], s[2]);
}

std::string grid_text(const model::Recipe& recipe) {
  return fmt::format(fmt::runtime(grid_texts[static_cast<std::size_t>(recipe.grid)]),
                     spacing_text(recipe.spacing_mm));
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

std::string range_text(const model::Recipe& recipe, const std::string& low,
                       const std::string& high) {
  return fmt::format("(value - {}) / ({} - {}{}){}", low, high, low,
                     recipe.epsilon > 0 ? fmt::format(" + {:.6g}", recipe.epsilon) : "",
                     recipe.clip ? ", clipped to 0 ... 1" : "");
}

std::string fixed_text(const model::Recipe& recipe) {
  std::string out = fmt::format("(value - {:.6g}) / {:.6g}", recipe.mean.front(),
                                recipe.standard_deviation.front());
  if (!recipe.clip_values.empty())
    out += fmt::format(", values clipped to {:.6g} ... {:.6g} before", recipe.clip_values[0],
                       recipe.clip_values[1]);
  return out + (recipe.clip ? ", clipped to 0 ... 1" : "");
}

/// How the intensities of one channel are normalised.
std::string channel_text(const model::Recipe& recipe) {
  switch (recipe.intensity) {
    case model::IntensityRule::none: return "as they are";
    case model::IntensityRule::min_max: return range_text(recipe, "min", "max");
    case model::IntensityRule::quantile:
      return range_text(recipe, fmt::format("q{:.6g}", recipe.quantiles[0]),
                        fmt::format("q{:.6g}", recipe.quantiles[1]));
    case model::IntensityRule::zscore: return "(value - mean) / standard deviation";
    case model::IntensityRule::zscore_nonzero:
      return "(value - mean) / standard deviation, of the voxels other than 0";
    case model::IntensityRule::fixed: return fixed_text(recipe);
  }
  return "";
}

/// The same for all channels, listed one by one if they differ.
std::string intensity_text(const model::Recipe& recipe) {
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < std::max<std::size_t>(recipe.channels, 1); ++c)
    texts.push_back(channel_text(model::of_channel(recipe, c)));
  const bool are_same = std::ranges::count(texts, texts.front()) == std::ssize(texts);
  return are_same ? texts.front() : joined(texts, "; ");
}

std::string channels_text(const model::Recipe& recipe) {
  std::string out =
      recipe.channels == 0 ? "as many as the model takes" : fmt::format("{}", recipe.channels);
  return out + (recipe.volumes_are_channels ? ", the volumes of one file" : "");
}

std::string window_text(const model::ScoreRules& rules) {
  std::string out = "the whole image at once";
  if (rules.window)
    out = fmt::format("{}x{}x{}, overlap {:.6g}, {} weights", (*rules.window)[0],
                      (*rules.window)[1], (*rules.window)[2], rules.overlap,
                      rules.weights == model::WindowWeights::gaussian ? "Gaussian" : "constant");
  std::string axes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (rules.mirror[axis]) axes += "xyz"[axis];
  return out + (axes.empty() ? "" : ", mean over all flips of " + axes);
}

std::string output_text(const model::ScoreRules& rules) {
  if (rules.regions.empty()) return "classes";
  std::vector<std::string> texts;
  for (const model::OutputRegion& region : rules.regions)
    texts.push_back(fmt::format("{} = {}", region.name, fmt::join(region.labels, ", ")));
  return fmt::format("regions {} where the probability is above {:.6g}", joined(texts, "; "),
                     rules.threshold);
}

std::string components_text(const model::Recipe& recipe) {
  if (!recipe.largest_component && recipe.min_volume_ml == 0) return "all kept";
  std::string text = recipe.largest_component ? "the largest of each class" : "all";
  if (recipe.min_volume_ml > 0) text += fmt::format(" of at least {:.6g} ml", recipe.min_volume_ml);
  return text + fmt::format(", {} neighbours", recipe.connectivity);
}

}  // namespace

std::string recipe_report(const model::Recipe& recipe) {
  const std::array<std::pair<const char*, std::string>, 11> lines = {{
      {"orientation", recipe.orientation.empty() ? "as stored" : recipe.orientation},
      {"grid", grid_text(recipe)},
      {"shape", shape_text(recipe)},
      {"bytes", bytes_text(recipe)},
      {"intensities", intensity_text(recipe)},
      {"channels", channels_text(recipe)},
      {"tensor axes", recipe.axes == model::TensorAxes::xyz ? "xyz" : "zyx"},
      {"window", window_text(recipe.scores)},
      {"output", output_text(recipe.scores)},
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
