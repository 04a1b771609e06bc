// SPDX-License-Identifier: Apache-2.0
#include "cli/score_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/new_folders.hpp"
#include "assay/error.hpp"
#include "assay/report/text/terminal.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/results.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/score/memory_gate.hpp"
#include "assay/score/score_case.hpp"
#include "cli/memory.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

fs::path results_path(const std::string& out, const ScoreOptions& o, const std::string& model) {
  return output_file(out, o.grand_challenge ? "metrics.json"
                          : o.nnunet        ? "summary.json"
                                            : model + ".json");
}

/// A result must never take the place of an image that it is made from, nor of another result.
void refuse_collisions(const score::Cohort& cohort, const fs::path& out, const fs::path& csv) {
  if (!out.empty() && out.lexically_normal() == csv.lexically_normal())
    throw Error(Error::Kind::usage, "--out and --csv name the same file");
  for (const fs::path& target : {out, csv})
    if (!target.empty() && fs::exists(target)) refuse_input(target, score::input_files(cohort));
}

/// Names what was not scored on standard error.
void tell_unscored(const metrics::SegmentationResult& result, std::ostream& err) {
  for (const metrics::CaseScores& c : result.cases)
    if (c.record.fate != metrics::Fate::scored)
      err << "not scored: " << report::printable(c.record.id + ": " + c.record.error) << '\n';
    else
      for (const auto& [side, structures] : {std::pair{"prediction", &c.record.without_prediction},
                                             std::pair{"reference", &c.record.without_reference}})
        for (const std::string& structure : *structures)
          err << "not scored: "
              << report::printable(c.record.id + ": there is no " + side + " of " + structure)
              << '\n';
}

/// What was odd: of the cohort first, then of single cases.
void tell_oddities(const metrics::SegmentationResult& result, std::ostream& err) {
  cli::tell("warning", result.warnings, err);
  std::vector<CaseWarning> warnings;
  for (const metrics::CaseScores& c : result.cases)
    if (c.record.fate == metrics::Fate::scored)
      for (const std::string& warning : c.record.warnings)
        warnings.push_back({c.record.id, warning});
  tell_warnings(warnings, err);
}

/// The results file, piece by piece.
void write_file_text(const metrics::SegmentationResult& result, const ScoreOptions& o,
                     const results::Provenance& from, const TextSink& sink) {
  if (o.grand_challenge) return results::write_grand_challenge(result, sink);
  o.nnunet ? results::write_nnunet_summary(result, sink)
           : results::write_results_text(result, from, sink);
}

/// Files first, then what is shown.
void write_outputs(const metrics::SegmentationResult& result, const ScoreOptions& o,
                   const results::Provenance& from, const fs::path& out, std::ostream* json) {
  const auto write = [&](const TextSink& sink) { write_file_text(result, o, from, sink); };
  if (!out.empty()) write_atomically(out, write);
  if (!o.csv.empty())
    write_atomically(o.csv, [&](const TextSink& sink) { results::write_long_csv(result, sink); });
  if (json != nullptr) write([&](std::string_view piece) { *json << piece; });
}

score::CohortRecords run_cohort(const score::Cohort& cohort, score::Execution execution,
                                const Common& common, const Session& session) {
  Progress progress(session.err, session.err_is_terminal && !common.quiet);
  execution.progress = [&](std::size_t done, std::size_t total, const metrics::CaseRecord& last) {
    if (common.verbose) cli::tell(name(last.fate), {last.id}, session.err);
    progress.update(done, total, last.fate != metrics::Fate::scored);
  };
  execution.warn = [&](const std::string& sentence) {
    if (!common.quiet) cli::tell("warning", {sentence}, session.err);
  };
  return score::score_cases(cohort, execution);
}

Exit interrupted_after(const score::CohortRecords& run, const score::Cohort& cohort,
                       const fs::path& journal, std::ostream& err) {
  err << fmt::format("interrupted after {} of {} cases", run.records.size(), cohort.cases.size())
      << (journal.empty() ? "; nothing was kept (with --out, a run can be resumed)\n"
                          : "; add --resume to the same command to continue\n");
  return interrupted;
}

/// The journal of a results file, and whether this run is the first to write it.
struct JournalPlace {
  fs::path path;
  bool is_new;
};

/// Everything that can be refused is refused now, not after hours of scoring.
JournalPlace checked_outputs(const ScoreRun& run, const fs::path& out) {
  const ScoreOptions& o = run.options;
  const fs::path journal = out.empty() ? fs::path() : fs::path(out.string() + ".journal");
  if (o.resume && out.empty())
    throw Error(Error::Kind::usage, "--resume needs --out: the file of the run to continue");
  refuse_collisions(run.cohort, out, o.csv);
  const bool is_new = !fs::exists(journal);
  if (!out.empty()) require_writable(out);
  if (!o.csv.empty()) require_writable(o.csv);
  return {journal, is_new};
}

void refuse_worthless(const metrics::SegmentationResult& result, const ScoreRun& run,
                      const JournalPlace& journal) {
  const std::string why = score::why_worthless(result, run.cohort);
  if (why.empty()) return;
  if (journal.is_new) fs::remove(journal.path);
  throw Error(Error::Kind::input, why + "; nothing was written");
}

/// The run that wrote the results, if there is nothing left to do.
std::optional<results::FinishedRun> finished_before(const ScoreRun& run,
                                                    const score::Execution& execution,
                                                    const fs::path& out) {
  const bool has_csv = run.options.csv.empty() || fs::exists(run.options.csv);
  return has_csv ? score::find_finished_cohort(run.cohort, execution, out) : std::nullopt;
}

Exit tell_finished(const results::FinishedRun& finished, const metrics::ScoreSettings& settings,
                   const Common& common, const Session& session) {
  if (common.json)
    session.out << finished.text;
  else if (!common.quiet)
    session.out << report::terminal_report(finished.file, settings,
                                           {.color = session.out_is_terminal && !common.no_color});
  if (!common.quiet)
    session.err << "note: this run is complete: the results have these settings, and no file has "
                   "changed since; nothing was scored again\n";
  return done;
}

/// Absolute, and without a slash at its end.
fs::path whole_path(const fs::path& folder) {
  if (folder.empty()) return {};
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

results::Provenance provenance_of(const ScoreRun& run, results::Provenance from) {
  from.settings_sha256 = results::settings_sha256(run.cohort.settings);
  if (run.options.anonymous) return from;
  for (const auto& root : results::root_members)
    from.roots.*root.second = whole_path(run.cohort.roots.*root.second);
  return from;
}

}  // namespace

void tell_plan(const score::Cohort& cohort, const Common& common, std::ostream& err) {
  if (common.quiet) return;
  cli::tell("warning", cohort.warnings, err);
  cli::tell("note", cohort.notes, err);
}

Exit run_scoring(const ScoreRun& run, const Common& common, const Session& session,
                 const ProvenanceClock& clock) {
  const ScoreOptions& o = run.options;
  const fs::path out = results_path(common.out, o, run.cohort.settings.model_name);
  const JournalPlace journal = checked_outputs(run, out);
  score::Execution execution = run.execution;
  execution.journal = journal.path;
  execution.resume = o.resume;
  execution.version = version();
  execution.stop = &session.stop;
  if (o.resume)
    if (const auto finished = finished_before(run, execution, out))
      return tell_finished(*finished, run.cohort.settings, common, session);
  score::MemoryGate gate(memory_limit(o.max_memory));
  execution.scorer = score::within_memory(
      execution.scorer
          ? execution.scorer
          : [&](const score::CasePlan& plan,
                score::Workspace&
                    workspace) { return score::score_case(plan, run.cohort.settings, workspace); },
      gate, run.cohort.settings, execution.waits);
  const NewFolders folders(journal.path);
  score::CohortRecords records = run_cohort(run.cohort, execution, common, session);
  if (records.interrupted) return interrupted_after(records, run.cohort, journal.path, session.err);
  std::vector<score::CasePlan>().swap(run.cohort.cases);
  if (records.replayed != 0 && !common.quiet)
    session.err << "note: " << records.replayed << " cases were taken from the journal\n";

  metrics::SegmentationResult result =
      metrics::scored(run.cohort.settings, std::move(records.records));
  tell_unscored(result, session.err);
  refuse_worthless(result, run, journal);
  if (!common.quiet) tell_oddities(result, session.err);
  result.warnings.insert(result.warnings.begin(), run.cohort.warnings.begin(),
                         run.cohort.warnings.end());
  const results::Provenance provenance =
      provenance_of(run, clock.provenance(common, session, o.anonymous));
  write_outputs(result, o, provenance, out, common.json ? &session.out : nullptr);
  if (!common.json && prints_result(common, out))
    session.out << report::terminal_report(result,
                                           {.color = session.out_is_terminal && !common.no_color});
  if (!out.empty() && !common.quiet) cli::tell("results", {out.string()}, session.err);
  const bool is_complete = result.ledger.is_complete() || o.grand_challenge;
  if (is_complete && !o.keep_journal && !out.empty()) fs::remove(journal.path);
  return is_complete ? done : some_failed;
}

}  // namespace assay::cli
