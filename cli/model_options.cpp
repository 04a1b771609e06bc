// SPDX-License-Identifier: Apache-2.0
#include "cli/model_options.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/base/tbb_executor.hpp"
#include "assay/image/image.hpp"
#include "assay/model/backends/predictors.hpp"
#include "assay/model/recipe/recipe_file.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::size_t> dilations_of(const std::string& list) {
  std::vector<std::size_t> out;
  const char* at = list.data();
  const char* end = at + list.size();
  while (at < end) {
    std::size_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    const bool goes_on = next < end && *next == ',' && next + 1 < end;
    if (error != std::errc() || value == 0 || (next != end && !goes_on))
      throw Error(Error::Kind::usage, "--dilations '" + list +
                                          "' is not a list of whole numbers from 1 on, such as "
                                          "1,2,4,8,16,16,8,4,2");
    out.push_back(value);
    at = next == end ? end : next + 1;
  }
  return out;
}

/// A model that is known by name, and the recipe that it was trained with.
struct Known {
  std::string_view name, recipe;  ///< the start of its name, or all of it
};

constexpr Known known_models[] = {
    {"MeshNet-", "arc-meshchop"},
    {"brainchop model20chan3cls", "brainchop-quantile"},
    {"brainchop mindgrab", "mindgrab"},
    {"brainchop", "brainchop"},
};

/// A program is told where the model is by `{model}` in its command.
CommandWords command_of(const ModelRunOptions& o) {
  constexpr std::string_view mark = "{model}";
  if (o.command.empty()) return {};
  if (o.model.empty() && o.command.find(mark) != o.command.npos)
    throw Error(Error::Kind::usage,
                "--command has {model}, but no model was given: name it before the data, or leave "
                "{model} out");
  return with_value(command_words(o.command, "--command"), mark, o.model);
}

model::PredictorSource source_of(const ModelRunOptions& o, model::TensorAxes axes, unsigned jobs) {
  return {.model = o.command.empty() ? o.model : "",
          .options = model_options_of(o.network),
          .axes = axes,
          .command = command_of(o),
          .backend = model::backend(o.backend),
          .onnxruntime = o.onnxruntime,
          .timeout_s = o.timeout_s,
          .jobs = jobs};
}

/// "" when the model is not known. Throws what opening it throws when it is no model at all.
std::string usual_recipe(const ModelRunOptions& o) {
  model::Model model;
  try {
    model = model::read_model(o.model, model_options_of(o.network));
  } catch (const Error&) {
    model::open_predictor(source_of(o, model::TensorAxes::zyx, 1));
    return "";
  }
  for (const Known& known : known_models)
    if (model.name.starts_with(known.name)) return std::string(known.recipe);
  return "";
}

/// What was asked for, what lies beside the model, or what a known model needs; in that order.
model::Recipe chosen_recipe(const ModelRunOptions& o, std::vector<std::string>& notes) {
  if (!o.recipe.empty()) return model::find_recipe(o.recipe);
  if (!o.model.empty())
    if (const auto beside = model::recipe_beside(o.model)) {
      notes.push_back("recipe: " + beside->string() + ", found beside the model");
      return model::find_recipe(beside->string());
    }
  if (!o.command.empty()) return model::find_recipe("none");  // a program prepares images itself
  const std::string known = usual_recipe(o);
  if (known.empty())
    throw Error(Error::Kind::usage, o.model +
                                        ": how this model wants its images prepared is not known; "
                                        "give --recipe (arc-meshchop, brainchop, minmax, none, or "
                                        "a file; see 'assay recipe show')");
  notes.push_back("recipe: " + known + ", as this model was trained with; --recipe changes it");
  return model::find_recipe(known);
}

/// "MeshNet-26" -> "meshnet_26", as parity and papers call it.
std::string as_key(std::string name) {
  for (char& c : name)
    c = std::isalnum(static_cast<unsigned char>(c)) == 0
            ? '_'
            : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// A program's own word on itself and, where it is given one, the model file's content.
std::string whole_hash(const ModelRunOptions& o, const model::Predictor& predictor) {
  std::error_code ignored;
  if (o.command.empty() || !fs::is_regular_file(o.model, ignored)) return predictor.sha256();
  return sha256(predictor.sha256() + sha256(MappedFile(o.model).bytes()));
}

/// What is about to be run, for people.
std::string described(const ModelRunOptions& o, const model::Predictor& predictor) {
  return fmt::format("model: {}, run by {}, sha256 {}…", o.command.empty() ? o.model : o.command,
                     predictor.backend(), predictor.sha256().substr(0, 12));
}

std::string described(const model::Model& model) {
  return fmt::format("model: {}, {} parameters, {} classes, weights sha256 {}…",
                     model.name.empty() ? "a network of the MeshNet family" : model.name,
                     model::parameters(model.network), model.network.classifier.classes,
                     model::weights_sha256(model.network).substr(0, 12));
}

}  // namespace

void declare_network_options(Arguments& a, NetworkOptions& o) {
  a.option("--dilations LIST", o.dilations,
           "Of the hidden layers, such as 1,2,4,8,4,2,1, where the file holds only weights");
  a.choice("--activation", o.activation, {"relu", "elu", "gelu", "none"},
           "Of the hidden layers, where the file holds only weights");
}

model::ModelOptions model_options_of(const NetworkOptions& o) {
  model::ModelOptions options = {.dilations = dilations_of(o.dilations)};
  if (!o.activation.empty()) options.activation = model::activation(o.activation);
  return options;
}

void declare_model_run_options(Arguments& a, ModelRunOptions& o) {
  a.option("--recipe NAME|FILE", o.recipe,
           "How images are prepared: arc-meshchop, brainchop, minmax, none, or a TOML or JSON file "
           "(default: the one beside the model, or the one it is known to need)");
  a.option("--command \"…\"", o.command,
           "A program that predicts, started without a shell, instead of a model file; see "
           "docs/formats/predictor.md");
  a.choice("--backend", o.backend, {"auto", "meshnet", "onnx", "command"},
           "Who runs the model (default: auto, told by its content)");
  a.option("--onnxruntime FILE", o.onnxruntime,
           "ONNX Runtime's library (default: $ASSAY_ONNXRUNTIME, or where the system finds it)");
  a.option("--timeout S", o.timeout_s, "Seconds that a program may take per image (default: 600)");
  a.option("--cache DIR", o.cache,
           "Where predictions are kept, so that nothing is inferred twice (default: $ASSAY_CACHE, "
           "or assay/predictions in the user's cache folder)");
  a.flag("--no-cache", o.no_cache, "Keep no predictions, and use none that were kept");
  declare_network_options(a, o.network);
}

OpenedModel::OpenedModel(const ModelRunOptions& o, const Common& common, const Session& session,
                         std::vector<std::string>& notes) {
  if (!(o.timeout_s > 0 && std::isfinite(o.timeout_s)))
    throw Error(Error::Kind::usage, "--timeout must be above 0 seconds");
  if (o.no_cache && !o.cache.empty())
    throw Error(Error::Kind::usage, "--cache and --no-cache contradict each other");
  const model::Recipe recipe = chosen_recipe(o, notes);
  predictor_ = model::open_predictor(source_of(o, recipe.axes, jobs(common)));
  if (predictor_->backend() == "meshnet") {
    const model::Model model = model::read_model(o.model, model_options_of(o.network));
    notes.push_back(described(model));
    known_as_ = as_key(model.name);
  } else {
    notes.push_back(described(o, *predictor_));
  }
  if (!o.cache.empty()) make_folder(o.cache);
  const fs::path cache = o.no_cache        ? fs::path()
                         : o.cache.empty() ? score::usual_cache_folder()
                                           : fs::path(o.cache);
  cases_ = std::make_unique<score::CasePredictor>(
      score::ModelSetup{.predictor = *predictor_,
                        .recipe = recipe,
                        .recipe_sha256 = model::recipe_sha256(recipe),
                        .cache = score::PredictionCache(cache),
                        .executor = stoppable(tbb_executor(jobs(common)), session.stop),
                        .model_sha256 = whole_hash(o, *predictor_),
                        .stop = &session.stop});
}

metrics::PredictionSource OpenedModel::source() const {
  return {.backend = predictor_->backend(),
          .sha256 = cases_->setup().model_sha256,
          .recipe = cases_->setup().recipe.name,
          .recipe_sha256 = cases_->setup().recipe_sha256,
          .space = {}};
}

std::vector<std::string> take_model(const std::string& first, std::vector<std::string> rest,
                                    std::size_t words, ModelRunOptions& o) {
  const bool is_data =
      fs::is_directory(first) || first.ends_with(".csv") || !image_ending(first).empty();
  if (o.command.empty() || !is_data || rest.size() >= words)
    o.model = first;
  else if (!first.empty())
    rest.insert(rest.begin(), first);
  return rest;
}

}  // namespace assay::cli
