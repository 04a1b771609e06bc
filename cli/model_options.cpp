// SPDX-License-Identifier: Apache-2.0
#include "cli/model_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "assay/base/ascii.hpp"
#include "assay/base/command_line.hpp"
#include "assay/base/durable.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/threads.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

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

/// Replaces `{model}` in the command of a program by the path of the model.
CommandWords command_of(const ModelRunOptions& o) {
  constexpr std::string_view mark = "{model}";
  if (o.command.empty()) return {};
  if (o.model.empty() && o.command.find(mark) != o.command.npos)
    throw Error(Error::Kind::usage,
                "--command has {model}, but no model was given; name it before the data, or leave "
                "{model} out");
  return with_value(command_words(o.command, "--command"), mark, o.model);
}

model::PredictorSource source_of(const ModelRunOptions& o, const model::Recipe& recipe,
                                 unsigned jobs) {
  model::PredictorSource source = o.source;
  source.model = o.command.empty() ? o.model : "";
  source.axes = recipe.axes;
  source.scores = recipe.scores;
  source.command = command_of(o);
  source.onnxruntime = o.onnxruntime;
  source.jobs = jobs;
  return source;
}

/// "" when the model is not known. Throws what opening it throws when it is not a model at all.
std::string usual_recipe(const ModelRunOptions& o) {
  model::Model model;
  try {
    model = model::read_model(o.model, o.source.options);
  } catch (const Error&) {
    model::open_predictor(source_of(o, {}, 1));
    return "";
  }
  for (const Known& known : known_models)
    if (model.name.starts_with(known.name)) return std::string(known.recipe);
  return "";
}

/// The recipe that was asked for, else the one next to the model, else that of a known model.
model::Recipe chosen_recipe(const ModelRunOptions& o, std::vector<std::string>& notes) {
  if (!o.recipe.empty()) return model::find_recipe(o.recipe);
  if (!o.model.empty())
    if (const auto beside = model::recipe_beside(o.model)) {
      notes.push_back("recipe: " + beside->string() + ", found next to the model");
      return model::find_recipe(beside->string());
    }
  if (!o.command.empty()) return model::find_recipe("none");  // a program prepares images itself
  const std::string known = usual_recipe(o);
  if (known.empty())
    throw Error(Error::Kind::usage, o.model,
                "how its images must be prepared is not known; give --recipe (" +
                    joined(names_in(model::builtin_recipes())) +
                    ", or a file; see 'assay recipe show')");
  notes.push_back("recipe: " + known + ", which this model was trained with; --recipe changes it");
  return model::find_recipe(known);
}

/// The recipe with the changes from the command line.
model::Recipe with_options(model::Recipe recipe, const ModelRunOptions& o) try {
  model::ScoreRules& scores = recipe.scores;
  if (!o.window.empty()) {
    if (o.window.size() != 3)
      throw Error(Error::Kind::usage, "--window takes three sizes along x, y and z: 96,96,96");
    scores.window = Shape{o.window[0], o.window[1], o.window[2]};
  }
  if ((o.overlap || o.window_weights) && !scores.window)
    throw Error(Error::Kind::usage,
                "--overlap and --window-weights are about windows; give --window 96,96,96 too");
  scores.overlap = o.overlap.value_or(scores.overlap);
  scores.weights = o.window_weights.value_or(scores.weights);
  if (!o.mirror.empty()) scores.mirror = model::axes_named(o.mirror == "none" ? "" : o.mirror);
  require_valid(recipe);
  return recipe;
} catch (const Error& e) {
  if (e.kind() == Error::Kind::usage) throw;
  throw Error(Error::Kind::usage, (o.mirror.empty() ? "" : "--mirror ") + std::string(e.what()));
}

void require_agreement(const model::Recipe& recipe, const model::Predictor& predictor) {
  const std::size_t taken = predictor.channels();
  if (recipe.channels == 0 || taken == 0 || recipe.channels == taken) return;
  throw Error(Error::Kind::usage, "the recipe " + recipe.name + " says " +
                                      counted(recipe.channels, "channel") +
                                      ", but the model takes " + std::to_string(taken));
}

/// "MeshNet-26" -> "meshnet_26", as parity and papers call it.
std::string as_key(std::string name) {
  for (char& c : name) c = is_ascii_word(c) ? ascii_lower(c) : '_';
  return name;
}

/// The hash of the predictor. For a program that is given a model file, it includes the content of
/// that file.
std::string whole_hash(const ModelRunOptions& o, const model::Predictor& predictor) {
  std::error_code ignored;
  if (o.command.empty() || !fs::is_regular_file(o.model, ignored)) return predictor.sha256();
  return sha256(predictor.sha256() + sha256_of_file(o.model));
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

void declare_network_options(Arguments& a, model::ModelOptions& o) {
  using enum model::Activation;
  a.option("--dilations LIST", o.dilations,
           "Dilations of the hidden layers, such as 1,2,4,8,4,2,1, if the file holds only weights");
  a.choice("--activation", o.activation, named({relu, elu, gelu, none}),
           "Activation of the hidden layers, if the file holds only weights");
}

void declare_model_run_options(Arguments& a, ModelRunOptions& o) {
  a.heading("Model");
  a.option("--recipe NAME|FILE", o.recipe,
           "How images are prepared: " + joined(names_in(model::builtin_recipes())) +
               ", or a TOML or JSON file (default: the recipe next to the model, or the one of a "
               "known model)");
  a.option("--command COMMAND", o.command,
           "Program that predicts instead of a model file, started without a shell; see "
           "docs/formats/predictor.md");
  a.choice("--backend", o.source.backend, model::backends(),
           "Back-end that runs the model; auto chooses by the model's content");
  declare_network_options(a, o.source.options);
  a.option("--window LIST", o.window,
           "Size of the patches that the model takes, along x, y and z: 96,96,96; it slides over "
           "the image (default: the recipe's window, or the whole image at once)");
  a.option("--overlap SHARE", o.overlap,
           fmt::format("Share of a window that the next one covers again (default: the recipe's, "
                       "or {:.6g})",
                       model::ScoreRules{}.overlap));
  a.choice("--window-weights", o.window_weights, model::window_weight_names(),
           "Weights of overlapping windows: less towards the borders, or the same everywhere");
  a.option("--mirror AXES", o.mirror,
           "Average the scores over all flips of these axes: x, xy, xyz, or none");
  a.option("--onnxruntime FILE", o.onnxruntime,
           "Library of ONNX Runtime (default: $ASSAY_ONNXRUNTIME, or where the system finds it)");
  a.option("--timeout S", o.source.timeout_s, "Seconds that a program may take per image");
  a.option("--cache DIR", o.cache,
           "Folder that keeps predictions, so that none is computed twice (default: $ASSAY_CACHE, "
           "or assay/predictions in the user's cache folder)");
  a.flag("--no-cache", o.no_cache, "Neither keep predictions nor use kept ones");
}

OpenedModel::OpenedModel(const ModelRunOptions& o, const Common& common, const Session& session,
                         std::vector<std::string>& notes) {
  const double timeout_s = o.source.timeout_s;
  if (!(timeout_s > 0 && std::isfinite(timeout_s)))
    throw Error(Error::Kind::usage, "--timeout must be above 0 seconds");
  if (o.no_cache && !o.cache.empty())
    throw Error(Error::Kind::usage, "--cache and --no-cache contradict each other");
  const model::Recipe recipe = with_options(chosen_recipe(o, notes), o);
  predictor_ = model::open_predictor(source_of(o, recipe, jobs(common)));
  require_agreement(recipe, *predictor_);
  if (predictor_->backend() == "meshnet") {
    const model::Model model = model::read_model(o.model, o.source.options);
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
                        .executor = stoppable(pool(common, session), session.stop),
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
