// SPDX-License-Identifier: Apache-2.0
/// assay score: a folder of predictions against a folder of references.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>
#include <sstream>

#include "assay/core/error.hpp"
#include "assay/io/file.hpp"
#include "assay/io/results.hpp"
#include "assay/report/terminal.hpp"
#include "assay/report/text_table.hpp"
#include "assay/run/score_cohort.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/provenance.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// The command line as typed; nothing is looked up or opened yet.
struct Options {
  std::string pred_position, ref_position, pred, ref, manifest, pred_pattern, ref_pattern;
  std::string model, labels, dataset_json;
  std::vector<std::string> regions;
  std::optional<long long> ignore_label;
  std::optional<double> threshold;
  std::string nsd_tolerance = "1", lesion_rule = "any", connectivity = "26";
  double min_lesion_ml = 0;
  std::string metrics = "paper", convention, missing = "exclude", compat, format = "json", csv;
  double beta = 1;
  bool allow_affine_mismatch = false, anonymous = false, resume = false;
};

std::string convention_help() {
  std::string out;
  for (const Convention& c : conventions())
    out += fmt::format("{}{}", c.name, out.empty() ? " (default)" : "") +
           (&c == &conventions().back() ? "" : ", ");
  return out;
}

/// The tolerances of a list in mm.
std::vector<double> tolerances_of(const std::string& list) {
  std::vector<double> out;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto found = metric_of_key("nsd@" + part + "mm");
    if (!found)
      throw Error(
          Error::Kind::usage,
          "--nsd-tolerance takes numbers above 0 in mm, such as 1,2; '" + part + "' is none");
    out.push_back(found->argument);
  }
  if (out.empty())
    throw Error(Error::Kind::usage, "--nsd-tolerance takes numbers in mm, such as 1,2");
  return out;
}

void declare_options(Arguments& a, Options& o) {
  a.positional("PRED", o.pred_position, "Predictions: a folder, or one image");
  a.positional("REF", o.ref_position, "References: a folder, or one image");
  a.option("--pred FOLDER", o.pred, "Instead of PRED; with --manifest: what its paths start from");
  a.option("--ref FOLDER", o.ref, "Instead of REF; with --manifest: what its paths start from");
  a.option("--manifest CSV", o.manifest, "Columns id,prediction,reference; all others are groups");
  a.option("--pred-pattern PATTERN", o.pred_pattern,
           "Names of predictions: '{id}_*_mask.nii.gz', or '{id}/{label}.nii.gz' for one file per "
           "structure");
  a.option("--ref-pattern PATTERN", o.ref_pattern, "Names of references");
  a.option("--model NAME", o.model, "Name in the results (default: the prediction folder's)");
  a.option("--labels LIST|all", o.labels, "Labels to score, such as 1,2,3 (default: value > 0)");
  a.option("--region NAME=LIST", o.regions, "A union of labels, such as whole=1,2,4; repeatable");
  a.option("--ignore-label N", o.ignore_label, "Voxels whose reference is N leave every count");
  a.option("--dataset-json FILE", o.dataset_json,
           "nnU-Net's labels (default: dataset.json beside the predictions)");
  a.option("--threshold T", o.threshold, "Predictions are probabilities: foreground is value >= T");
  a.option(
      "--metrics LIST", o.metrics,
      "paper, overlap, boundary, lesion, probability, all, or names such as dice,hd95; see 'assay "
      "metrics'");
  a.option("--convention NAME", o.convention, convention_help());
  a.option("--nsd-tolerance LIST", o.nsd_tolerance,
           "Tolerances of nsd in mm; a second one is nsd@2mm (default: 1)");
  a.choice("--lesion-rule", o.lesion_rule, {"any", "brats", "anima", "iou"},
           "When a lesion counts as found");
  a.choice("--connectivity", o.connectivity, {"6", "18", "26"}, "Neighbours within a lesion");
  a.option("--min-lesion-ml V", o.min_lesion_ml, "Smaller lesions are left out (default: 0)");
  a.option("--beta B", o.beta, "Weight of recall in fbeta");
  a.choice("--missing", o.missing, {"exclude", "worst", "error"},
           "What a missing, unreadable or wrong-grid prediction counts");
  a.flag("--allow-affine-mismatch", o.allow_affine_mismatch,
         "Compare in storage order where the affines disagree");
  a.choice("--compat", o.compat, {"spec"}, "The specification's numbers and JSON tokens");
  a.choice("--format", o.format, {"json", "nnunet"}, "Layout of --out and --json");
  a.option("--csv FILE", o.csv, "Also write model,case,label,metric,value,status");
  a.flag("--anonymous", o.anonymous, "No host and no absolute path in the provenance");
  a.flag("--resume", o.resume, "Go on where an interrupted run with the same --out stopped");
}

ScoreSettings settings_of(const Options& o) {
  if (!o.compat.empty() && !o.convention.empty() && o.convention != "spec")
    throw Error(Error::Kind::usage, "--compat spec sets the convention; drop --convention");
  if (o.threshold && !std::isfinite(*o.threshold))
    throw Error(Error::Kind::usage, "--threshold must be a finite number, such as 0.5");
  if (!(o.beta > 0 && o.beta <= 1000))
    throw Error(Error::Kind::usage, "--beta must be above 0, and at most 1000");
  ScoreSettings s;
  s.metrics = chosen_metrics(o.metrics, tolerances_of(o.nsd_tolerance));
  s.compat_spec = !o.compat.empty();
  const std::string named = s.compat_spec ? "spec" : o.convention;
  s.convention = named.empty() ? &conventions().front() : &convention(named);
  s.beta = o.beta;
  if (!(o.min_lesion_ml >= 0 && std::isfinite(o.min_lesion_ml)))
    throw Error(Error::Kind::usage, "--min-lesion-ml must be 0 or more, such as 0.01");
  s.lesions = {.rule = value_in(lesion_rules(), o.lesion_rule, "lesion rule"),
               .connectivity = static_cast<Connectivity>(std::stoi(o.connectivity)),
               .least_ml = o.min_lesion_ml};
  if (o.ignore_label) s.ignored = static_cast<Label>(*o.ignore_label);
  s.threshold = o.threshold;
  s.missing = o.missing == "worst"   ? Missing::worst
              : o.missing == "error" ? Missing::error
                                     : Missing::exclude;
  s.allow_affine_mismatch = o.allow_affine_mismatch;
  return s;
}

CohortRequest request_of(const Options& o) {
  const auto one_of = [](const std::string& position, const std::string& named, const char* what) {
    if (!position.empty() && !named.empty())
      throw Error(Error::Kind::usage, fmt::format("{} is given twice", what));
    return position.empty() ? named : position;
  };
  CohortRequest r = {.prediction = one_of(o.pred_position, o.pred, "the prediction"),
                     .reference = one_of(o.ref_position, o.ref, "the reference")};
  if (o.manifest.empty() && (r.prediction.empty() || r.reference.empty()))
    throw Error(Error::Kind::usage,
                "give predictions and references: assay score PRED REF, or --manifest cases.csv");
  r.manifest = o.manifest;
  r.prediction_pattern = o.pred_pattern;
  r.reference_pattern = o.ref_pattern;
  r.model_name = o.model;
  r.labels = o.labels;
  r.regions = o.regions;
  r.dataset_json = o.dataset_json;
  return r;
}

fs::path results_path(const std::string& out, const Options& o, const std::string& model) {
  return output_file(out, o.format == "nnunet" ? "summary.json" : model + ".json");
}

/// A result must never take the place of an image that it is made from, nor of another result.
void refuse_collisions(const Cohort& cohort, const fs::path& out, const fs::path& csv) {
  if (!out.empty() && out.lexically_normal() == csv.lexically_normal())
    throw Error(Error::Kind::usage, "--out and --csv name the same file");
  std::vector<fs::path> inputs;
  for (const CasePlan& plan : cohort.cases)
    for (const FilePair& files : plan.files)
      inputs.insert(inputs.end(), {files.prediction, files.reference});
  for (const fs::path& target : {out, csv}) refuse_input(target, inputs);
}

bool is_empty_everywhere(const SegmentationResult& result, std::size_t region) {
  return std::ranges::all_of(result.cases, [&](const CaseScores& c) {
    return c.record.fate != Fate::scored ||
           presence(c.labels[region].evidence.counts) == Presence::both_empty;
  });
}

/// Names what was not scored, and what was odd, on standard error.
void report_troubles(const SegmentationResult& result, const Common& common, std::ostream& err) {
  for (const CaseScores& c : result.cases) {
    if (c.record.fate != Fate::scored)
      err << "not scored: " << printable(c.record.id + ": " + c.record.error) << '\n';
    else if (!common.quiet)
      for (const std::string& warning : c.record.warnings)
        err << "warning: " << printable(c.record.id + ": " + warning) << '\n';
  }
  for (std::size_t r = 0; r < result.regions.size() && !common.quiet; ++r)
    if (result.ledger.scored != 0 && is_empty_everywhere(result, r))
      err << "warning: label " << printable(result.regions[r].key)
          << " is empty in every prediction and every reference\n";
}

std::string file_text(const SegmentationResult& result, const Options& o, const Provenance& from) {
  return o.format == "nnunet" ? nnunet_summary(result) : results_text(result, from);
}

CohortRecords run_cohort(const Cohort& cohort, Execution execution, const Common& common,
                         const Session& session) {
  Progress progress(session.err, session.err_is_terminal && !common.quiet);
  execution.progress = [&](std::size_t done, std::size_t total, const CaseRecord& last) {
    if (common.verbose) session.err << name(last.fate) << ": " << last.id << '\n';
    progress.update(done, total, last.fate != Fate::scored);
  };
  return scored_cohort(cohort, execution);
}

Exit interrupted_after(const CohortRecords& run, const Cohort& cohort, const fs::path& journal,
                       std::ostream& err) {
  err << fmt::format("interrupted after {} of {} cases", run.records.size(), cohort.cases.size())
      << (journal.empty() ? "; nothing was kept (with --out, a run can be resumed)\n"
                          : "; the same command with --resume goes on\n");
  return interrupted;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  const Cohort cohort = planned_cohort(request_of(o), settings_of(o));
  if (!common.quiet)
    for (const std::string& note : cohort.notes) session.err << "note: " << note << '\n';

  const fs::path out = results_path(common.out, o, cohort.settings.model_name);
  const fs::path journal = out.empty() ? fs::path() : fs::path(out.string() + ".journal");
  if (o.resume && out.empty())
    throw Error(Error::Kind::usage, "--resume needs the --out of the run that it goes on with");
  refuse_collisions(cohort, out, o.csv);
  const bool journal_is_new = !fs::exists(journal);
  if (!out.empty()) require_writable(out);  // better now than after hours of scoring
  if (!o.csv.empty()) require_writable(o.csv);
  const CohortRecords records = run_cohort(cohort,
                                           {.jobs = jobs(common),
                                            .journal = journal,
                                            .resume = o.resume,
                                            .version = version(),
                                            .stop = &session.stop},
                                           common, session);
  if (records.interrupted) return interrupted_after(records, cohort, journal, session.err);
  if (records.replayed != 0 && !common.quiet)
    session.err << "note: " << records.replayed << " cases were taken from the journal\n";

  const SegmentationResult result = scored(cohort.settings, records.records);
  report_troubles(result, common, session.err);
  const Ledger& ledger = result.ledger;
  const bool refused = o.missing == "error" && ledger.scored < ledger.expected;
  if (ledger.scored == 0 || refused) {
    if (journal_is_new) fs::remove(journal);
    throw Error(Error::Kind::input,
                refused ? "not every case could be scored, and --missing error was asked for; "
                          "nothing was written"
                        : "no case could be scored; nothing was written");
  }
  const Provenance provenance = clock.provenance(common, session, o.anonymous);
  if (!out.empty()) write_atomically(out, file_text(result, o, provenance));
  if (!o.csv.empty()) write_atomically(o.csv, long_csv(result));
  if (common.json)
    session.out << file_text(result, o, provenance);
  else if (!common.quiet)
    session.out << terminal_report(result, {.color = session.out_is_terminal && !common.no_color});
  if (!out.empty() && !common.quiet) session.err << "results: " << out.string() << '\n';
  return ledger.scored < ledger.expected ? some_failed : done;
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
