// SPDX-License-Identifier: Apache-2.0
/// assay evaluate: runs a model over a cohort, then scores its predictions.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/score/evaluate_case.hpp"
#include "assay/score/evaluation_data.hpp"
#include "cli/commands.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/score_run.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace evaluate_file {
namespace {

namespace fs = std::filesystem;

/// One image is read, one predicted and one scored at the same time. More would only cost memory.
constexpr unsigned cases_at_once = 3;

struct Options {
  ScoreOptions score;
  ModelRunOptions model;
  std::string first;
  std::vector<std::string> rest;
  std::string images, image_pattern, split, save;
  score::MetricSpace space = score::MetricSpace::native;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("MODEL", o.first, model_help);
  a.positional(
      "DATA", o.rest,
      "A folder with images and references (images/ and labels/, imagesTs/ and labelsTs/, "
      "…), or a CSV file with id,image,reference; its other columns are groups. An image of "
      "several channels has files with nnU-Net's numbers (case_0000, case_0001), or a "
      "list in the table: t1.nii.gz;t2.nii.gz");
  a.heading("Input");
  a.option("--images FOLDER", o.images, "Images, if DATA does not give them; needs --ref");
  a.option("--ref FOLDER", o.score.ref, "References, if DATA does not give them");
  a.choice("--split", o.split, score::data_splits(),
           "Cases of an nnU-Net folder (default: Ts if it has references, otherwise Tr)");
  a.option("--pred-pattern PATTERN", o.image_pattern, "File names of images: '{id}_T1w.nii.gz'");
  declare_model_run_options(a, o.model);
  declare_score_options(a, o.score);
  a.heading("Metrics");
  a.choice("--space", o.space, score::metric_spaces(),
           "Grid of the metrics: the reference's own, or the model's");
  a.heading("Output");
  a.option("--save-predictions DIR", o.save, "Keep every prediction as DIR/<id>.nii.gz");
}

score::EvaluationData data_of(const Options& o, const std::vector<std::string>& data) {
  if (data.size() > 1)
    throw Error(Error::Kind::usage, "'" + data[1] +
                                        "' is unexpected: assay evaluate MODEL DATA "
                                        "takes one folder or CSV file");
  if (data.empty() && (o.images.empty() || o.score.ref.empty()))
    throw Error(Error::Kind::usage,
                "give a model and its data: assay evaluate MODEL DATA, where DATA is a folder with "
                "images/ and labels/, or a CSV file; or --images and --ref");
  return score::evaluation_data({.data = data.empty() ? "" : data.front(),
                                 .images = o.images,
                                 .references = o.score.ref,
                                 .split = o.split});
}

score::CohortRequest request_of(const Options& o, const score::EvaluationData& found) {
  score::CohortRequest request = request_of(o.score);
  request.side = "image";
  request.prediction = found.images;
  request.reference = found.references;
  request.manifest = found.manifest;
  request.prediction_pattern = o.image_pattern;
  if (request.prediction_pattern.find("{label}") != std::string::npos)
    throw Error(Error::Kind::usage, "images have no {label}; take it out of --pred-pattern");
  return request;
}

/// If nothing else was asked for, the regions that the model predicts are scored.
void ask_for_regions(const model::Recipe& recipe, const metrics::ScoreSettings& settings,
                     score::CohortRequest& request, std::vector<std::string>& notes) {
  const auto& regions = recipe.scores.regions;
  const bool is_open = request.labels.empty() && request.regions.empty() &&
                       request.dataset_json.empty() && !settings.threshold &&
                       !settings.foreground_nonzero;
  if (regions.empty() || !is_open) return;
  for (const model::OutputRegion& region : regions)
    request.regions.push_back({.key = region.name,
                               .name = region.name,
                               .members = {region.labels.begin(), region.labels.end()},
                               .is_union = true});
  notes.push_back("regions from the recipe: " + joined(regions, ", ", &model::OutputRegion::name));
}

/// The name that was asked for, else the known name of the model, else the name of its file or
/// program.
std::string default_name(const Options& o, const OpenedModel& model) {
  if (!o.score.model.empty()) return o.score.model;
  if (!model.known_as().empty()) return model.known_as();
  if (!o.model.model.empty()) return (fs::path(o.model.model) / "").parent_path().stem().string();
  const std::string program = o.model.command.substr(0, o.model.command.find(' '));
  return fs::path(program).filename().string();
}

/// A prediction must never overwrite an image or a reference.
void refuse_collisions(const score::Cohort& cohort, const fs::path& save) {
  const InputFiles inputs(score::input_files(cohort));
  for (const score::CasePlan& plan : cohort.cases)
    if (score::is_plain_name(plan.id)) inputs.refuse(save / score::prediction_name(plan.id));
}

/// Whether the prediction of a case is already in the folder `save`, if there is one.
bool is_kept(const score::CasePlan& plan, const fs::path& save) {
  std::error_code ignored;
  return save.empty() || (score::is_plain_name(plan.id) &&
                          fs::exists(save / score::prediction_name(plan.id), ignored));
}

void tell(const score::CasePredictor& cases, const Session& session) {
  if (cases.remembered() != 0)
    session.notes << fmt::format("note: {} predictions came from the cache, {} were computed\n",
                                 cases.remembered(), cases.inferred());
  if (const std::string trouble = cases.cache_trouble(); !trouble.empty())
    cli::tell("warning", {"predictions could not be kept: " + trouble}, session.err);
}

Exit run(Options o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  const std::vector<std::string> data = take_model(o.first, o.rest, 1, o.model);
  if (o.model.model.empty() && o.model.command.empty())
    throw Error(Error::Kind::usage, "give a model: assay evaluate MODEL DATA, or --command");
  metrics::ScoreSettings settings =
      settings_of(o.score, open_own_metrics(o.score, session.own_metrics));
  const score::EvaluationData found = data_of(o, data);
  score::CohortRequest request = request_of(o, found);
  std::vector<std::string> notes;
  OpenedModel model(o.model, common, session, notes);
  request.channels = model.cases().files_per_image();
  ask_for_regions(model.cases().setup().recipe, settings, request, notes);
  score::Cohort cohort = score::plan_cohort(request, settings);
  if (!found.note.empty()) cohort.notes.insert(cohort.notes.begin(), found.note);
  cohort.notes.insert(cohort.notes.end(), notes.begin(), notes.end());
  cohort.settings.model_name = default_name(o, model);
  cohort.settings.source = model.source();
  cohort.settings.source->space = name_in(score::metric_spaces(), o.space);
  if (!o.save.empty()) {
    refuse_collisions(cohort, o.save);
    require_writable(fs::path(o.save) / "prediction");
    cohort.roots.prediction = o.save;
  }
  tell_plan(cohort, session);

  const TemporaryFolder scratch;
  const score::Evaluation evaluation = {.predictor = model.cases(),
                                        .settings = cohort.settings,
                                        .space = o.space,
                                        .save = o.save,
                                        .scratch = scratch};
  score::Execution execution = {.jobs = cases_at_once, .waits = true};
  execution.scorer = [&](const score::CasePlan& plan, score::Workspace& workspace) {
    return score::evaluate_case(plan, evaluation, workspace);
  };
  execution.is_complete = [&](const score::CasePlan& plan) { return is_kept(plan, o.save); };
  const Exit exit = run_scoring({.cohort = cohort, .options = o.score, .execution = execution},
                                common, session, clock);
  tell(model.cases(), session);
  return exit;
}

constexpr Example examples[] = {
    {"assay evaluate meshnet26.pt Dataset501_ARC --out results.json",
     "runs the model on imagesTs and scores against labelsTs; --resume continues after a stop"},
    {"assay evaluate unet.onnx cases.csv --recipe unet.toml --metrics all --save-predictions out",
     "any ONNX model with the preparation of a recipe; images and references from a table"},
    {"assay evaluate unet.onnx Dataset001_BraTS --window 128,128,128 --overlap 0.5 --mirror xyz",
     "a model of patches: images of several channels are case_0000.nii.gz, case_0001.nii.gz, …"},
    {"assay evaluate Dataset501_ARC --command \"python3 nnunet_worker.py\" --timeout 900",
     "any program predicts; it is started once and gets one image after another"},
};

}  // namespace
}  // namespace evaluate_file

const Command evaluate_command = {"evaluate", "Run a model on a cohort, then score its predictions",
                                  command<evaluate_file::declare_options, evaluate_file::run>,
                                  evaluate_file::examples, /*stops_in_order=*/true};

}  // namespace assay::cli
