// SPDX-License-Identifier: Apache-2.0
/// assay score: a folder of predictions against a folder of references.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <ostream>

#include "assay/base/error.hpp"
#include "cli/commands.hpp"
#include "cli/score_run.hpp"

namespace assay::cli {
namespace {

struct Options {
  ScoreOptions score;
  std::string pred_position, ref_position, pred, manifest, pred_pattern;
  std::optional<double> threshold;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("PRED", o.pred_position, "Predictions: a folder, or one image");
  a.positional("REF", o.ref_position, "References: a folder, or one image");
  a.option("--pred FOLDER", o.pred, "Instead of PRED; with --manifest: what its paths start from");
  a.option("--ref FOLDER", o.score.ref,
           "Instead of REF; with --manifest: what its paths start from");
  a.option("--manifest CSV", o.manifest, "Columns id,prediction,reference; all others are groups");
  a.option("--pred-pattern PATTERN", o.pred_pattern,
           "Names of predictions: '{id}_*_mask.nii.gz', or '{id}/{label}.nii.gz' for one file per "
           "structure");
  declare_cohort_options(a, o.score);
  a.option("--threshold T", o.threshold,
           "Predictions are maps, such as probabilities: foreground is value >= T");
  declare_metric_options(a, o.score);
}

std::string one_of(const std::string& position, const std::string& named, const char* what) {
  if (!position.empty() && !named.empty())
    throw Error(Error::Kind::usage, fmt::format("{} is given twice", what));
  return position.empty() ? named : position;
}

score::CohortRequest request_of(const Options& o) {
  score::CohortRequest r = request_of(o.score);
  r.prediction = one_of(o.pred_position, o.pred, "the prediction");
  r.reference = one_of(o.ref_position, o.score.ref, "the reference");
  if (o.manifest.empty() && (r.prediction.empty() || r.reference.empty()))
    throw Error(Error::Kind::usage,
                "give predictions and references: assay score PRED REF, or --manifest cases.csv");
  r.manifest = o.manifest;
  r.prediction_pattern = o.pred_pattern;
  return r;
}

metrics::ScoreSettings settings_of(const Options& o) {
  metrics::ScoreSettings settings = settings_of(o.score);
  if (o.threshold && !std::isfinite(*o.threshold))
    throw Error(Error::Kind::usage, "--threshold must be a finite number, such as 0.5");
  if (o.threshold && settings.foreground_nonzero)
    throw Error(Error::Kind::usage,
                "--threshold and --foreground nonzero contradict each other; drop one of them");
  settings.threshold = o.threshold;
  return settings;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  const score::Cohort cohort = score::planned_cohort(request_of(o), settings_of(o));
  tell_plan(cohort, common, session.err);
  return run_scoring({.cohort = cohort, .options = o.score, .execution = {.jobs = jobs(common)}},
                     common, session, clock);
}

Action declare(Arguments& arguments) {
  const auto options = std::make_shared<Options>();
  declare_options(arguments, *options);
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

constexpr Example examples[] = {
    {"assay score predictions labelsTr --out results.json",
     "pairs the files by name, prints a table, and writes every case to results.json"},
    {"assay score predictions labelsTr --labels 1,2,3 --region whole=1,2,3 --metrics overlap",
     "three labels and their union, all overlap and volume metrics"},
    {"assay score predictions labelsTr --metrics dice,hd95,nsd,lesion_f1 --nsd-tolerance 2",
     "distances in mm between surfaces, and lesions counted one by one"},
    {"assay score probabilities labelsTr --threshold 0.5 --metrics paper,probability",
     "maps of probabilities: their order and calibration, and masks by a threshold"},
    {"assay score --manifest cases.csv --csv long.csv --missing worst",
     "files from a table, its other columns kept as groups; failures count as worst"},
};

}  // namespace

const Command score_command = {"score", "Score predictions against references", declare, examples,
                               /*stops_in_order=*/true};

}  // namespace assay::cli
