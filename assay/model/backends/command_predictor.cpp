// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/command_predictor.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/child_process.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/volume.hpp"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

/// Headers store affines in single precision, and quaternions round further. Scoring allows the
/// same shift.
constexpr double largest_shift_voxels = 0.1;

/// The axis map that brings the file onto `grid`. Throws Error::input when the two grids differ.
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
std::vector<std::uint8_t> byte_labels(const LabelView& labels, std::size_t classes) {
  return per_voxel(labels, [&](std::size_t code) {
    const Label value = labels.values[code];
    if (value < 0 || value >= static_cast<Label>(classes))
      throw Error(Error::Kind::input, "it has the label " + std::to_string(value) + "; with " +
                                          std::to_string(classes) + " classes labels are 0 to " +
                                          std::to_string(classes - 1));
    return static_cast<std::uint8_t>(value);
  });
}

/// The labels of a file on that grid. Axes that run in another direction are turned without loss.
/// Throws Error when the file cannot be read, is on another grid, or holds anything but whole
/// numbers below `classes`.
Volume<std::uint8_t> read_labels_on(const Grid& grid, const std::filesystem::path& path,
                                    std::size_t classes) {
  const Image image = read_image(path);
  const AxisMap map = map_onto(grid, image.grid());
  Buffer scratch;
  std::vector<Label> values;
  std::vector<std::uint8_t> voxels = byte_labels(labels(image, scratch, values), classes);
  if (map.is_identity()) return {grid, std::move(voxels)};
  Volume<std::uint8_t> out(grid);
  reorient(View<std::uint8_t>{image.grid(), voxels}, map, out.voxels());
  return out;
}

class CommandPredictor : public Predictor {
 public:
  explicit CommandPredictor(const CommandSettings& settings)
      : settings_(settings), child_(settings.command, settings.error_file) {
    greeting_ = in_step([&] { return greet(); });
    is_greeted_ = true;
  }

  std::string backend() const override { return "command"; }
  std::string sha256() const override {
    const Json parts = {settings_.command, greeting_.name, greeting_.version};
    return assay::sha256("command\n" + to_text(parts, {.indent = 0}) + "\n");
  }

  std::size_t channels() const override { return greeting_.channels; }

  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override;

 private:
  std::string ask(const Json& question);
  Greeting greet() { return parse_greeting(ask({{"assay", command_protocol}, {"hello", true}})); }
  void greet_again();
  void predict_files(const std::vector<fs::path>& images, const fs::path& output);
  template <class Exchange>
  auto in_step(const Exchange& exchange) -> decltype(exchange());

  CommandSettings settings_;
  ChildProcess child_;
  Greeting greeting_ = {};
  bool is_greeted_ = false;  ///< for the program that is running now
  std::size_t asked_ = 0;
};

std::string CommandPredictor::ask(const Json& question) {
  const ChildProcess::Answer answer =
      child_.ask(to_text(question, {.indent = 0}), settings_.timeout_s);
  if (answer.fault != ChildProcess::Fault::none)
    throw Error(Error::Kind::io, one_line(answer.detail));
  return answer.line;
}

/// After any fault the program is stopped, and started again when it is next needed. Otherwise the
/// next question could get the answer to this one.
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

/// All results of a run must come from one model, so a restarted program has to greet as it did
/// before.
void CommandPredictor::greet_again() {
  if (is_greeted_) return;
  if (greet() != greeting_)
    throw Error(
        Error::Kind::input,
        "it was restarted and now has another name, version or number of classes or channels");
  is_greeted_ = true;
}

/// A program for one channel finds no "image" in a question about several, so it fails instead of
/// looking at the first alone.
Json question_of(std::size_t id, const std::vector<fs::path>& images, const fs::path& output) {
  Json out = {{"id", id}};
  if (images.size() == 1) {
    out["image"] = images.front().string();
  } else {
    for (const fs::path& image : images) out["images"].push_back(image.string());
  }
  out["output"] = output.string();
  return out;
}

/// An error that the program reports itself leaves it running.
void CommandPredictor::predict_files(const std::vector<fs::path>& images, const fs::path& output) {
  const std::size_t id = ++asked_;
  std::string error = in_step([&] {
    greet_again();
    return parse_case_answer(ask(question_of(id, images, output)), id);
  });
  // Error messages must not show folders, but the program was given full paths and may quote them.
  std::vector<fs::path> told = images;
  told.push_back(output);
  for (const fs::path& each : told)
    error = replaced(std::move(error), (each.parent_path() / "").string(), "");
  if (!error.empty()) throw Error(Error::Kind::input, "the command reported: " + error);
}

/// The files of the channels. Channels that exist only in memory are written to `folder`.
std::vector<fs::path> files_for(const PredictorInput& input, const TemporaryFolder& folder) {
  std::vector<fs::path> out;
  for (const fs::path& file : input.files) out.push_back(fs::absolute(file));
  if (!out.empty()) return out;
  for (const View<float>& channel : input.channels) {
    const std::string number = out.empty() ? "" : "_" + std::to_string(out.size());
    out.push_back(folder / ("image" + number + ".nii"));
    write_image(out.back(), channel);
  }
  return out;
}

Prediction CommandPredictor::predict(const PredictorInput& input, const PredictionSettings&) {
  require_channels(*this, input.channels.size());
  if (input.grid().size() == 0) throw Error(Error::Kind::input, "the image has no voxels");
  const TemporaryFolder folder;
  const fs::path output = folder / "labels.nii.gz";
  predict_files(files_for(input, folder), output);
  std::error_code ignored;
  if (!fs::exists(output, ignored))
    throw Error(Error::Kind::input,
                "the command said that it was done, but did not write its \"output\"");
  try {
    return {.labels = read_labels_on(input.grid(), output, greeting_.classes), .logits = {}};
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

namespace {

constexpr std::size_t shown_of_answer = 120;

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

/// 0 when the program does not say.
std::size_t channels_in(const Json& answer) {
  constexpr int most = 256;
  const auto found = answer.find("channels");
  if (found == answer.end() || found->is_null()) return 0;
  if (!found->is_number_integer() || *found < 1 || *found > most)
    throw Error(Error::Kind::input, "\"channels\" in its handshake must be 1 to 256");
  return found->get<std::size_t>();
}

Greeting greeting_of(const Json& answer) {
  if (!answer.contains("protocol") || answer.at("protocol") != command_protocol)
    throw Error(Error::Kind::input,
                "its handshake must have \"protocol\": 1, the only protocol that assay supports");
  Greeting out = {.name = field_text(answer, "name"), .version = field_text(answer, "version")};
  if (out.name.empty()) throw Error(Error::Kind::input, "its handshake must have a \"name\"");
  out.classes = classes_of(answer);
  out.channels = channels_in(answer);
  return out;
}

Json object_in_answer(const std::string& line) {
  require_shallow(line, "its answer");
  Json answer;
  try {
    answer = parse_json(line, "its answer");
  } catch (const Error&) {
    answer = nullptr;
  }
  if (!answer.is_object())
    throw Error(Error::Kind::input, "it answered with a line that is not a JSON object: " +
                                        line.substr(0, shown_of_answer) +
                                        " (everything except answers must go to standard error)");
  return answer;
}

}  // namespace

std::string reported_error(const Json& answer) {
  const auto error = answer.find("error");
  if (error == answer.end() || error->is_null()) return "";
  const std::string text =
      one_line(error->is_string() ? error->get<std::string>() : to_text(*error, {.indent = 0}));
  return text.empty() ? "an error without a message" : text;
}

/// Another id means that answers and questions are out of step.
Json parse_answer(const std::string& line, std::size_t id) {
  Json answer = object_in_answer(line);
  if (const auto found = answer.find("id"); found != answer.end() && *found != id)
    throw Error(Error::Kind::input, "it answered for the id " + to_text(*found, {.indent = 0}) +
                                        " when asked for " + std::to_string(id));
  return answer;
}

std::string one_line(const std::string& text) {
  return std::string(trimmed_end(text, " \n"));
}

Greeting parse_greeting(const std::string& line) {
  return greeting_of(object_in_answer(line));
}

std::string parse_case_answer(const std::string& line, std::size_t id) {
  const Json answer = parse_answer(line, id);
  std::string error = reported_error(answer);
  if (error.empty() && answer.value("ok", Json(false)) != true)
    throw Error(Error::Kind::input, "it answered neither {\"ok\": true} nor {\"error\": \"...\"}");
  return error;
}

}  // namespace assay::model
