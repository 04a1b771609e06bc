// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/command_predictor.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/child_process.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/volume.hpp"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

/// Headers keep affines in single precision, and quaternions round; scoring allows as much.
constexpr double largest_shift_voxels = 0.1;

/// How to walk the file so that it lies on `grid`. Throws Error::input when it cannot.
AxisMap map_onto(const Grid& grid, const Grid& found) {
  const AxisMap map = axis_map(found, grid);
  const double limit_mm = largest_shift_voxels * std::ranges::min(spacing_mm(grid));
  if (!(greatest_corner_shift_mm(reoriented(found, map), grid) <= limit_mm))
    throw Error(Error::Kind::input, "it is on another grid (" + describe(found) +
                                        ") than the image (" + describe(grid) +
                                        "); bring the labels back to the grid of the image");
  return map;
}

/// A label map may list labels that do not occur; only those that do must be in range.
template <class Code>
std::vector<std::uint8_t> byte_labels(std::span<const Code> codes, std::span<const Label> values,
                                      std::size_t classes) {
  std::vector<std::uint8_t> out(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Label value = values[codes[i]];
    if (value < 0 || value >= static_cast<Label>(classes))
      throw Error(Error::Kind::input, "it has the label " + std::to_string(value) + "; with " +
                                          std::to_string(classes) + " classes labels are 0 to " +
                                          std::to_string(classes - 1));
    out[i] = static_cast<std::uint8_t>(value);
  }
  return out;
}

/// The labels in a file, on that grid: axes with another direction are turned without loss. Throws
/// Error when the file cannot be read, is on another grid, or holds anything but whole numbers
/// below `classes`.
Volume<std::uint8_t> read_labels_on(const Grid& grid, const std::filesystem::path& path,
                                    std::size_t classes) {
  const Image image = read_image(path);
  const AxisMap map = map_onto(grid, image.grid());
  Buffer scratch;
  std::vector<Label> values;
  const LabelView found = labels(image, scratch, values);
  std::vector<std::uint8_t> voxels = std::visit(
      [&](const auto& codes) { return byte_labels(codes, found.values, classes); }, found.codes);
  if (map.is_identity()) return {grid, std::move(voxels)};
  Volume<std::uint8_t> out(grid);
  reorient(View<std::uint8_t>{image.grid(), voxels}, map, out.voxels());
  return out;
}

constexpr int protocol = 1;
constexpr std::size_t most_command_classes = 256;
constexpr std::size_t shown_answer = 120;

/// What a program says about itself.
struct Greeting {
  std::string name, version;
  std::size_t classes = most_command_classes;
  bool operator==(const Greeting&) const = default;
};

/// The text of a key; "" when it is absent. Throws Error::input when it is not text.
std::string field_text(const Json& answer, const std::string& key) {
  const auto found = answer.find(key);
  if (found == answer.end() || found->is_null()) return "";
  if (!found->is_string())
    throw Error(Error::Kind::input, "\"" + key + "\" in its handshake is not text");
  return found->get<std::string>();
}

std::size_t classes_of(const Json& answer) {
  const auto found = answer.find("classes");
  if (found == answer.end() || found->is_null()) return most_command_classes;
  const bool is_count = found->is_number_integer() && *found >= 1 && *found <= most_command_classes;
  if (!is_count) throw Error(Error::Kind::input, "\"classes\" in its handshake must be 1 to 256");
  return found->get<std::size_t>();
}

Greeting greeting_of(const Json& answer) {
  if (!answer.contains("protocol") || answer.at("protocol") != protocol)
    throw Error(Error::Kind::input,
                "its handshake must have \"protocol\": 1, the only protocol that assay supports");
  Greeting out = {.name = field_text(answer, "name"), .version = field_text(answer, "version")};
  if (out.name.empty()) throw Error(Error::Kind::input, "its handshake must have a \"name\"");
  out.classes = classes_of(answer);
  return out;
}

/// What a reader of one line is shown of text that may have several.
std::string shown(std::string_view text) {
  return std::string(trimmed_end(text, " \n"));
}

Json object_in(const std::string& line) {
  require_shallow(line, "its answer");
  Json answer;
  try {
    answer = parse_json(line, "its answer");
  } catch (const Error&) {
    answer = nullptr;
  }
  if (!answer.is_object())
    throw Error(Error::Kind::input, "it answered with a line that is not a JSON object: " +
                                        line.substr(0, shown_answer) +
                                        " (everything except answers must go to standard error)");
  return answer;
}

/// What the program says went wrong with a case; "" when nothing did.
std::string reported(const Json& answer) {
  const auto error = answer.find("error");
  if (error == answer.end() || error->is_null()) return "";
  const std::string text =
      shown(error->is_string() ? error->get<std::string>() : to_text(*error, {.indent = 0}));
  return text.empty() ? "an error without a message" : text;
}

/// Throws unless the answer belongs to the case and says how it went. Another id means that answers
/// and questions are out of step.
void require_answer(const Json& answer, std::size_t id) {
  if (const auto found = answer.find("id"); found != answer.end() && *found != id)
    throw Error(Error::Kind::input, "it answered for the id " + to_text(*found, {.indent = 0}) +
                                        " when asked for " + std::to_string(id));
  if (reported(answer).empty() && answer.value("ok", Json(false)) != true)
    throw Error(Error::Kind::input, "it answered neither {\"ok\": true} nor {\"error\": \"...\"}");
}

class CommandPredictor : public Predictor {
 public:
  explicit CommandPredictor(const CommandSettings& settings)
      : settings_(settings), child_(settings.command, settings.error_file) {
    greeting_ = in_step([&] { return greeting_of(ask({{"assay", protocol}, {"hello", true}})); });
    is_greeted_ = true;
  }

  std::string backend() const override { return "command"; }
  std::string sha256() const override {
    const Json parts = {settings_.command, greeting_.name, greeting_.version};
    return assay::sha256("command\n" + to_text(parts, {.indent = 0}) + "\n");
  }

  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override;

 private:
  Json ask(const Json& question);
  void greet_again();
  void predict_file(const fs::path& image, const fs::path& output);
  template <class Exchange>
  auto in_step(const Exchange& exchange) -> decltype(exchange());

  CommandSettings settings_;
  ChildProcess child_;
  Greeting greeting_ = {};
  bool is_greeted_ = false;  ///< the program that runs now
  std::size_t asked_ = 0;
};

Json CommandPredictor::ask(const Json& question) {
  const ChildProcess::Answer answer =
      child_.ask(to_text(question, {.indent = 0}), settings_.timeout_s);
  if (answer.fault != ChildProcess::Fault::none) throw Error(Error::Kind::io, shown(answer.detail));
  return object_in(answer.line);
}

/// After any fault the next question must not get an answer to this one: the program is stopped,
/// and started again when it is needed.
template <class Exchange>
auto CommandPredictor::in_step(const Exchange& exchange) -> decltype(exchange()) {
  try {
    return exchange();
  } catch (const Error& e) {
    child_ = ChildProcess(settings_.command, settings_.error_file);
    is_greeted_ = false;
    throw e.within("the command '" + command_text(settings_.command) + "'");
  }
}

/// Results of one run must come from one model.
void CommandPredictor::greet_again() {
  if (is_greeted_) return;
  if (greeting_of(ask({{"assay", protocol}, {"hello", true}})) != greeting_)
    throw Error(Error::Kind::input,
                "it was restarted and now has another name, version or number of classes");
  is_greeted_ = true;
}

/// An error that the program reports itself leaves it running.
void CommandPredictor::predict_file(const fs::path& image, const fs::path& output) {
  const std::size_t id = ++asked_;
  const Json answer = in_step([&] {
    greet_again();
    Json found = ask({{"id", id}, {"image", image.string()}, {"output", output.string()}});
    require_answer(found, id);
    return found;
  });
  // Results show no folders, and the program was told two.
  std::string error = reported(answer);
  for (const fs::path& told : {image, output})
    error = replaced(std::move(error), (told.parent_path() / "").string(), "");
  if (!error.empty()) throw Error(Error::Kind::input, "the command reported: " + error);
}

Prediction CommandPredictor::predict(const PredictorInput& input, const PredictionSettings&) {
  if (input.image.voxels.empty()) throw Error(Error::Kind::input, "the image has no voxels");
  const TemporaryFolder folder;
  fs::path image = input.file.empty() ? folder / "image.nii" : fs::absolute(input.file);
  if (input.file.empty()) write_image(image, input.image);
  const fs::path output = folder / "labels.nii.gz";
  predict_file(image, output);
  std::error_code ignored;
  if (!fs::exists(output, ignored))
    throw Error(Error::Kind::input,
                "the command said that it was done, but did not write its \"output\"");
  try {
    return {.labels = read_labels_on(input.image.grid, output, greeting_.classes), .logits = {}};
  } catch (const Error& e) {
    throw e.within("what the command wrote");
  }
}

}  // namespace

std::unique_ptr<Predictor> command_predictor(const CommandSettings& settings) {
  if (settings.command.empty())
    throw Error(Error::Kind::usage,
                "the command is empty; give a program that answers line by line");
  return std::make_unique<CommandPredictor>(settings);
}

}  // namespace assay::model
