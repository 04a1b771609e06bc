// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/base/named.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/model.hpp"
#include "assay/model/backends/command_predictor.hpp"
#include "assay/model/backends/onnx_predictor.hpp"
#include "assay/model/backends/score_predictor.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/files/model.hpp"

namespace assay::model {
namespace {

using Opened = std::unique_ptr<Predictor>;

class MeshNetPredictor : public Predictor {
 public:
  MeshNetPredictor(Network network, TensorAxes axes)
      : engine_(std::move(network), {.axes = axes}),
        sha256_(
            assay::sha256("meshnet\naxes=" + std::string(axes == TensorAxes::zyx ? "zyx" : "xyz") +
                          "\nnetwork=" + network_sha256(engine_.network()) + "\n")) {}

  std::string backend() const override { return "meshnet"; }
  std::string sha256() const override { return sha256_; }

  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override {
    require_channels(*this, input.channels.size());
    return engine_.predict(input.channels.front(), workspace_, settings);
  }

 private:
  MeshNetEngine engine_;
  PredictionWorkspace workspace_;
  std::string sha256_;
};

/// Throws what require_valid throws.
std::unique_ptr<Predictor> meshnet_predictor(Network network, TensorAxes axes) {
  return std::make_unique<MeshNetPredictor>(std::move(network), axes);
}

Opened open_meshnet(const PredictorSource& source) {
  return meshnet_predictor(read_model(source.model, source.options).network, source.axes);
}

Opened open_onnx(const PredictorSource& source) {
  require_no_options(source.options, source.model);
  return onnx_predictor({.model = source.model,
                         .axes = source.axes,
                         .library = source.onnxruntime,
                         .jobs = source.jobs});
}

Opened open_command(const PredictorSource& source) {
  if (source.scores != ScoreRules{})
    throw Error(Error::Kind::usage,
                "a program gives labels, and windows, mirroring and regions need scores; leave out "
                "--window and --mirror and their keys in the recipe, and let the program do it");
  return command_predictor(
      {.command = source.command, .timeout_s = source.timeout_s, .error_file = source.error_file});
}

/// Our own engine is by far the fastest, so it runs every model that it can.
Opened open_file(const PredictorSource& source) {
  std::string why;
  try {
    return open_meshnet(source);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input || !is_onnx(InputFile(source.model).read_start(64).bytes()))
      throw;
    why = e.what();
  }
  try {
    return open_onnx(source);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::unsupported) throw;
    throw Error(e.kind(), why + "; " + e.what());
  }
}

Opened open_automatically(const PredictorSource& source) {
  if (source.model.empty() == source.command.empty())
    throw Error(Error::Kind::usage, source.model.empty()
                                        ? "there is neither a model file nor a command to run"
                                        : "there is a model file and a command; give one of them");
  return source.command.empty() ? open_file(source) : open_command(source);
}

using Open = Opened (*)(const PredictorSource& source);

/// Indexed by back-end.
constexpr Open openers[] = {open_automatically, open_meshnet, open_onnx, open_command};

constexpr Named<Backend> names[] = {{"auto", Backend::automatic},
                                    {"meshnet", Backend::meshnet},
                                    {"onnx", Backend::onnx},
                                    {"command", Backend::command}};

}  // namespace

std::string_view name(Backend backend) {
  return name_in(backends(), backend);
}

std::span<const Named<Backend>> backends() {
  return names;
}

std::unique_ptr<Predictor> open_predictor(const PredictorSource& source) {
  require_valid(source.scores);
  Opened opened = openers[static_cast<std::size_t>(source.backend)](source);
  if (source.scores == ScoreRules{}) return opened;
  return score_predictor(std::move(opened), source.scores);
}

void require_channels(const Predictor& predictor, std::size_t given) {
  const std::size_t wanted = predictor.channels();
  if (given != 0 && (wanted == 0 || wanted == given)) return;
  throw Error(Error::Kind::input, "the image has " + counted(given, "channel") +
                                      ", but the model takes " + counted(wanted, "channel"));
}

}  // namespace assay::model
