// SPDX-License-Identifier: Apache-2.0
/// The options of everything that runs a model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/model.hpp"
#include "assay/model/files/model.hpp"
#include "assay/score/case_predictor.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

/// Options for what a file of weights may not specify.
void declare_network_options(Arguments& arguments, model::ModelOptions& options);

struct ModelRunOptions {
  model::PredictorSource source;
  std::string model;  ///< "": there is only the command
  std::string recipe, command, onnxruntime, cache;
  bool no_cache = false;
  std::vector<std::size_t> window = {};  ///< this and the next three change the recipe if given
  std::optional<double> overlap = {};
  std::optional<model::WindowWeights> window_weights = {};
  std::string mirror = {};
};

/// The help of the argument MODEL.
inline constexpr const char* model_help =
    "A trained model of any supported format, detected from its content; omit it with --command";

void declare_model_run_options(Arguments& arguments, ModelRunOptions& options);

/// A model that is ready to run, with its recipe.
class OpenedModel {
 public:
  /// Notes the decisions that the user did not ask for. Throws Error.
  OpenedModel(const ModelRunOptions& options, const Common& common, const Session& session,
              std::vector<std::string>& notes);

  score::CasePredictor& cases() { return *cases_; }
  /// How results describe it; the caller fills in `space`.
  metrics::PredictionSource source() const;
  /// The name of a published or otherwise known model, such as meshnet_26; "" when it is not known.
  const std::string& known_as() const { return known_as_; }

 private:
  std::unique_ptr<model::Predictor> predictor_;
  std::unique_ptr<score::CasePredictor> cases_;
  std::string known_as_;
};

/// Puts the model among the options and returns the other words. With --command there may be no
/// model. A first word that is an image, a table or a folder is then not taken as the model, unless
/// more than `words` words follow.
std::vector<std::string> take_model(const std::string& first, std::vector<std::string> rest,
                                    std::size_t words, ModelRunOptions& options);

}  // namespace assay::cli
