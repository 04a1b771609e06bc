// SPDX-License-Identifier: Apache-2.0
/// Readers of networks, of recipes for them, and of what programs of the user's answer.
#include <algorithm>
#include <array>
#include <string>

#include "assay/model/backends/command_predictor.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/files/model.hpp"
#include "assay/model/files/onnx.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/results/own_metric_json.hpp"
#include "assay/score/own_command.hpp"
#include "tests/fuzz/repair.hpp"
#include "tests/fuzz/targets.hpp"

namespace assay::fuzz {
namespace {

/// A network that was accepted can be hashed and run.
void run_network(const model::Network& network) {
  model::weights_sha256(network);
  const Volume<float> volume(Grid{{5, 3, 2}});
  model::PredictionWorkspace workspace;
  const model::Prediction found = model::MeshNetEngine(network).predict(volume.view(), workspace);
  for (const std::uint8_t label : found.labels.view().voxels)
    if (label >= network.classifier.classes) std::abort();
}

void state_dict(const std::vector<model::StoredTensor>& tensors) {
  for (const model::ModelOptions& options :
       {model::ModelOptions{},
        model::ModelOptions{.dilations = {2}, .activation = model::Activation::gelu}})
    allow_refusal(
        [&] { run_network(model::state_dict_model(tensors, options, "fuzz.pt").network); });
}

void checkpoint(Input input) {
  run_both(input, with_zip_checksums(input), [](Input bytes) {
    allow_refusal([&] { state_dict(model::checkpoint_tensors(bytes, "fuzz.pt")); });
  });
}

void safetensors(Input input) {
  allow_refusal([&] { state_dict(model::safetensors_tensors(input, "fuzz.safetensors")); });
}

/// model.json, a zero, and the numbers.
void tfjs(Input input) {
  const std::string_view all = as_text(input), json = all.substr(0, all.find('\0'));
  const Input weights = input.subspan(std::min(json.size() + 1, input.size()));
  allow_refusal([&] { model::tfjs_weight_paths(json, "fuzz.json"); });
  allow_refusal([&] { run_network(model::tfjs_network(json, weights, "fuzz.json")); });
}

void onnx(Input input) {
  allow_refusal([&] { run_network(model::onnx_network(input, "fuzz.onnx")); });
  allow_refusal([&] { model::onnx_outline(input, "fuzz.onnx"); });
}

/// A recipe that was read is written and read again as the same, and can be followed there and
/// back.
void recipe(Input input) {
  allow_refusal([&] {
    const model::Recipe once = model::parse_recipe(as_text(input), "fuzz.toml");
    if (model::parse_recipe(model::recipe_text(once), "again.json") != once) std::abort();
    const Volume<float> image(Grid{{3, 2, 2}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    constexpr std::size_t most = 1 << 16;
    if (model::model_grid(image.grid(), once).size() > most) return;
    const model::Prepared found = model::prepared(image.view(), once);
    const Volume<std::uint8_t> labels(found.image.grid());
    if (model::restored(labels.view(), found.placement, once).grid() != image.grid()) std::abort();
  });
}

/// A program that is accepted has a name, and a number of classes that fit a byte.
void predictor(Input input) {
  const std::string line(as_text(input));
  allow_refusal([&] {
    const model::Greeting found = model::parse_greeting(line);
    require(!found.name.empty() && found.classes >= 1 &&
            found.classes <= model::most_command_classes);
  });
  allow_refusal([&] { model::parse_case_answer(line, 1); });
}

/// A file that declares a metric of the user's own, or what its program answers. A declaration that
/// was accepted is written and read again as the same.
void own_metric(Input input) {
  const std::string text(as_text(input));
  allow_refusal([&] {
    const auto found = metrics::own_metric(score::parse_own_command(text, "fuzz.toml").declared);
    const Json written = results::own_metric_json(found->declared);
    const auto again = metrics::own_metric(results::parse_own_metric(written));
    require(results::own_metric_json(again->declared) == written);
  });
  allow_refusal([&] {
    const metrics::OwnValue found = score::parse_own_answer(text, 1);
    require(!(found.value && found.failed));
  });
}

constexpr std::array model_list = {Target{"fuzz_checkpoint", checkpoint},
                                   Target{"fuzz_safetensors", safetensors},
                                   Target{"fuzz_tfjs", tfjs},
                                   Target{"fuzz_onnx", onnx},
                                   Target{"fuzz_recipe", recipe},
                                   Target{"fuzz_predictor", predictor},
                                   Target{"fuzz_own_metric", own_metric}};

}  // namespace

std::span<const Target> model_targets() {
  return model_list;
}

}  // namespace assay::fuzz
