// SPDX-License-Identifier: Apache-2.0
/// assay score: a folder of predictions against a folder of references.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "cli/commands.hpp"
#include "cli/score_run.hpp"

namespace assay::cli {
namespace score_file {
namespace {

/// Where a container of Grand Challenge finds what it evaluates, and where it leaves its metrics.
/// The ground truth used to be part of the container, before it could be uploaded to the platform.
namespace platform {
constexpr const char* predictions = "/input";
constexpr std::array references = {"/opt/ml/input/data/ground_truth", "/opt/app/ground-truth"};
constexpr const char* out = "/output/";
}  // namespace platform

struct Options {
  ScoreOptions score;
  std::string pred_position, ref_position, pred, manifest, pred_pattern;
  score::Sockets sockets;
  score::DicomId dicom_id = score::DicomId::automatic;
};

constexpr std::array<Named<score::DicomId>, 5> dicom_ids = {{
    {"auto", score::DicomId::automatic},
    {"study", score::DicomId::study},
    {"patient", score::DicomId::patient},
    {"name", score::DicomId::patient_name},
    {"file", score::DicomId::file},
}};

void declare_platform(Arguments& a, Options& o) {
  a.heading("Challenges");
  a.flag("--grand-challenge", o.score.grand_challenge,
         std::string("Evaluate a submission of grand-challenge.org: read predictions.json in "
                     "--pred (default: ") +
             platform::predictions + ") and references in --ref (default: " +
             joined(platform::references, " or ") + "), write --out (default: " + platform::out +
             "metrics.json), and count failures as worst");
  a.option("--input-socket SLUG", o.sockets.input,
           "Input image that the references are named after (default: the only one)");
  a.option("--output-socket SLUG", o.sockets.output, "Output to score (default: the only image)");
}

void declare_options(Arguments& a, Options& o) {
  a.positional("PRED", o.pred_position, "Predictions: a folder, or one image");
  a.positional("REF", o.ref_position, "References: a folder, or one image");
  a.heading("Input");
  a.option("--pred FOLDER", o.pred,
           "The same as PRED; with --manifest, the folder that its predictions are in");
  a.option("--ref FOLDER", o.score.ref,
           "The same as REF; with --manifest, the folder that its references are in");
  a.option("--manifest CSV", o.manifest,
           "Table with columns id,prediction,reference; all others are kept as groups");
  a.option("--pred-pattern PATTERN", o.pred_pattern,
           "File names of predictions: '{id}_*_mask.nii.gz', or '{id}/{label}.nii.gz' for one file "
           "per structure");
  declare_score_options(a, o.score);
  a.heading("Input");
  a.choice("--dicom-id", o.dicom_id, dicom_ids,
           "Id of a DICOM case: study (StudyInstanceUID), PatientID, PatientName or file name; if "
           "both sides are DICOM, auto means the study, or else PatientID");
  a.heading("Masks and labels");
  a.option("--threshold T", o.score.settings.threshold,
           "Treat predictions as maps, such as probabilities; voxels with a value "
           "of T or more are foreground");
  declare_platform(a, o);
}

std::string one_of(const std::string& position, const std::string& named, const char* what) {
  if (!position.empty() && !named.empty())
    throw Error(Error::Kind::usage, std::string(what) + " is given twice");
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
  r.dicom_id = o.dicom_id;
  if (o.score.grand_challenge) r.grand_challenge = o.sockets;
  return r;
}

void refuse_contradictions(const Options& o) {
  if (!o.score.grand_challenge && !(o.sockets.input + o.sockets.output).empty())
    throw Error(Error::Kind::usage, "--input-socket and --output-socket go with --grand-challenge");
  if (!o.score.grand_challenge) return;
  if (o.score.settings.compat_spec || o.score.nnunet)
    throw Error(Error::Kind::usage,
                "--grand-challenge writes metrics.json, which has no other layout and holds no "
                "infinities; drop --format and --compat");
  if (!(o.manifest + o.pred_pattern).empty())
    throw Error(Error::Kind::usage,
                "--grand-challenge finds the predictions by predictions.json; drop --manifest and "
                "--pred-pattern");
}

/// Sets what the platform expects, unless something else was asked for.
void add_platform_defaults(Options& o, Common& common) {
  if (!o.score.grand_challenge) return;
  if (o.pred_position.empty() && o.pred.empty()) o.pred = platform::predictions;
  if (o.ref_position.empty() && o.score.ref.empty()) {
    const auto* const found = std::ranges::find_if(platform::references, [](const char* folder) {
      return std::filesystem::is_directory(folder);
    });
    o.score.ref = found == platform::references.end() ? platform::references.front() : *found;
  }
  if (common.out.empty()) common.out = platform::out;
  if (o.score.model.empty()) o.score.model = "submission";
  if (!o.score.missing) o.score.missing = metrics::Missing::worst;
}

metrics::ScoreSettings settings_of(const Options& o, const Session& session) {
  const metrics::ScoreSettings& s = o.score.settings;
  if (s.threshold && !std::isfinite(*s.threshold))
    throw Error(Error::Kind::usage, "--threshold must be a finite number, such as 0.5");
  if (s.threshold && s.foreground_nonzero)
    throw Error(Error::Kind::usage,
                "--threshold and --foreground nonzero contradict each other; drop one of them");
  return settings_of(o.score, open_own_metrics(o.score, session.own_metrics));
}

Exit run(const Options& typed, const Common& shared, const Session& session) {
  const ProvenanceClock clock;
  Options o = typed;
  Common common = shared;
  refuse_contradictions(o);
  add_platform_defaults(o, common);
  score::Cohort cohort = score::plan_cohort(request_of(o), settings_of(o, session));
  tell_plan(cohort, session);
  return run_scoring({.cohort = cohort, .options = o.score, .execution = {.jobs = jobs(common)}},
                     common, session, clock);
}

constexpr Example examples[] = {
    {"assay score predictions labelsTr --out results.json",
     "pairs the files by name, prints a table, and writes every case to results.json"},
    {"assay score predictions labelsTr --labels 1,2,3 --region whole=1,2,3 --metrics overlap",
     "three labels and their union, all overlap and volume metrics"},
    {"assay score predictions labelsTr --metrics dice,hd95,nsd,lesion_f1 --nsd-tolerance 2",
     "distances in mm between surfaces, and lesions counted one by one"},
    {"assay score probabilities labelsTr --threshold 0.5 --metrics paper,probability",
     "probability maps: ranking and calibration, and overlap of the masks at a threshold"},
    {"assay score --manifest cases.csv --csv long.csv --missing worst",
     "files from a table, its other columns kept as groups; failures count as worst"},
    {"assay score predictions labelsTr --metrics dice,volume_ratio --own-metric volume_ratio.toml",
     "a metric of your own, which a program computes (docs/own-metrics.md)"},
    {"assay score --grand-challenge --labels 1,2 --metrics dice,hd95",
     "the command of an evaluation container: /input and the ground truth to /output/metrics.json"},
};

}  // namespace
}  // namespace score_file

const Command score_command = {"score", "Score predictions against references",
                               command<score_file::declare_options, score_file::run>,
                               score_file::examples,
                               /*stops_in_order=*/true};

}  // namespace assay::cli
