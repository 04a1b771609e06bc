// SPDX-License-Identifier: Apache-2.0
/// assay folds: the runs of a cross-validation become one experiment.
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/report/text/cross_validation.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/runs.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"

namespace assay::cli {
namespace folds_file {
namespace {

/// The command line as typed.
struct Options {
  std::vector<std::string> folders;
  compare::Restarts restarts = compare::CrossValidation{}.restarts;
  std::string model;
  bool anonymous = false;
};

void declare_options(Arguments& a, Options& o) {
  using enum compare::Restarts;
  a.positional("RUN_DIR", o.folders,
               "Folders with fold_0_restart_0/results.json or fold_0/validation/summary.json and "
               "so on");
  a.choice("--restarts", o.restarts, named({mean, median, best}),
           "How restarts become one value per subject; best is chosen on the test set, so it is "
           "optimistic");
  a.option("--model NAME", o.model, "Name in the results (default: the first folder's)");
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

constexpr std::size_t most_missing = 20;  // more lines would hide other messages

/// Names the runs that gave no values, and what was odd, on standard error.
void report_troubles(const results::RunFolders& folders, const std::vector<std::string>& warnings,
                     const Session& session) {
  std::ostream& err = session.err;
  const results::RunLedger& ledger = folders.ledger;
  for (const results::LostRun& run : ledger.unreadable)
    err << "not read: " << report::printable(run.reason) << '\n';
  for (std::size_t i = 0; i < ledger.missing.size() && i < most_missing; ++i) {
    const results::LostRun& run = ledger.missing[i];
    err << "missing: outer fold " << run.outer_fold << ", restart " << run.restart << ": "
        << report::printable(run.reason) << '\n';
  }
  if (ledger.missing.size() > most_missing)
    err << "missing: " << ledger.missing.size() - most_missing << " more runs\n";
  for (const auto* list : {&folders.warnings, &warnings})
    for (const std::string& warning : *list)
      session.notes << "warning: " << report::printable(warning) << '\n';
}

void report_undefined(const compare::CrossValidation& result, std::ostream& err) {
  for (const compare::NamedSpreads& s : result.spreads)
    if (s.undefined != 0)
      err << "note: " << report::printable(s.metric) << ": " << s.undefined
          << (s.undefined == 1 ? " value of a run was" : " values of runs were")
          << " left out (null, NaN or infinite)\n";
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.folders.empty())
    throw Error(Error::Kind::usage, "give the folder that holds the runs: assay folds RUN_DIR");
  const ProvenanceClock clock;
  results::RunFolders folders = results::read_runs({o.folders.begin(), o.folders.end()});
  if (!o.model.empty()) folders.name = o.model;
  if (folders.runs.empty()) {
    report_troubles(folders, {}, session);
    throw Error(Error::Kind::input, "no run could be read; nothing was written");
  }
  if (common.verbose)
    for (const compare::FoldRun& each : folders.runs)
      session.err << "read: " << report::printable(each.file) << '\n';
  const auto out = output_file(common.out, "experiment_results.json");
  refuse_input(out, folders.files);
  const compare::CrossValidation result =
      compare::cross_validated(std::move(folders.runs), o.restarts);
  report_troubles(folders, result.warnings, session);
  report_undefined(result, session.notes);
  put_result(
      out,
      results::experiment_text(result, folders, clock.provenance(common, session, o.anonymous)),
      [&] {
        return report::cross_validation_report(
            result, folders, {.color = session.out_is_terminal && !common.no_color});
      },
      common, session);
  return folders.ledger.read < folders.ledger.expected ? some_failed : done;
}

constexpr Example examples[] = {
    {"assay folds experiments --out experiment_results.json",
     "pairs restarts by subject, pools the outer folds, and reports each kind of spread"},
    {"assay folds nnUNetTrainer__nnUNetPlans__3d_fullres --out results/",
     "the five folds of nnU-Net as one experiment, in results/experiment_results.json"},
    {"assay folds experiments --restarts median --json", "the same for programs"},
};

}  // namespace
}  // namespace folds_file

const Command folds_command = {"folds", "Aggregate the runs of a cross-validation",
                               command<folds_file::declare_options, folds_file::run>,
                               folds_file::examples};

}  // namespace assay::cli
