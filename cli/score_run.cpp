// SPDX-License-Identifier: Apache-2.0
#include "cli/score_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/new_folders.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/terminal.hpp"
#include "assay/results.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/results/shard.hpp"
#include "assay/score/memory_gate.hpp"
#include "assay/score/shards.hpp"
#include "cli/memory.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/rehearsal.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

fs::path results_path(const std::string& out, const ScoreOptions& o, const std::string& model) {
  return output_file(out, o.grand_challenge ? "metrics.json"
                          : o.nnunet        ? "summary.json"
                                            : model + ".json");
}

/// A result must never take the place of an image that it is made from, of another result, or of
/// the journal. Only a shard may replace a shard.
void refuse_collisions(const score::Cohort& cohort, const fs::path& out, const fs::path& csv,
                       const fs::path& journal, bool is_shard) {
  const fs::path table = csv.lexically_normal();
  if (!out.empty() && out.lexically_normal() == table)
    throw Error(Error::Kind::usage,
                "--out and --csv name the same file; choose another for one of them");
  if (!journal.empty() && journal.lexically_normal() == table)
    throw Error(Error::Kind::usage, csv,
                "is where the journal of this run is kept; choose another file for --csv");
  if (is_shard) return InputFiles(score::input_files(cohort)).refuse(out);
  for (const fs::path& target : {out, csv})
    if (!target.empty() && fs::exists(target)) refuse_input(target, score::input_files(cohort));
}

/// Names what was not scored on standard error.
void tell_unscored(const metrics::CaseRecord& record, std::ostream& err) {
  const auto tell = [&](const std::string& what) {
    err << "not scored: " << report::printable(record.id + ": " + what) << '\n';
  };
  if (record.fate != metrics::Fate::scored) return tell(record.error);
  for (const std::string& structure : record.without_prediction)
    tell("there is no prediction of " + structure);
  for (const std::string& structure : record.without_reference)
    tell("there is no reference of " + structure);
}

void add_warnings(const metrics::CaseRecord& record, std::vector<CaseWarning>& warnings) {
  if (record.fate == metrics::Fate::scored)
    for (const std::string& warning : record.warnings) warnings.push_back({record.id, warning});
}

/// What was odd: of the cohort first, then of single cases.
void tell_oddities(const metrics::SegmentationResult& result, std::ostream& err) {
  cli::tell("warning", result.warnings, err);
  std::vector<CaseWarning> warnings;
  for (const metrics::CaseScores& c : result.cases) add_warnings(c.record, warnings);
  tell_warnings(warnings, err);
}

/// Files first, then what is shown.
void write_outputs(const metrics::SegmentationResult& result, const ScoredCohort& scored,
                   const results::Provenance& from, const Executor& executor, std::ostream* json) {
  const auto write = [&](const TextSink& sink) {
    if (scored.grand_challenge) return results::write_grand_challenge(result, sink, executor);
    scored.nnunet ? results::write_nnunet_summary(result, sink, executor)
                  : results::write_results_text(result, from, sink, executor);
  };
  if (!scored.out.empty()) write_atomically(scored.out, write);
  if (!scored.csv.empty())
    write_atomically(scored.csv,
                     [&](const TextSink& sink) { results::write_long_csv(result, sink); });
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
    cli::tell("warning", {sentence}, session.notes);
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
JournalPlace checked_outputs(const ScoreRun& run, const fs::path& out, bool is_shard) {
  const ScoreOptions& o = run.options;
  const fs::path journal = out.empty() ? fs::path() : fs::path(out.string() + ".journal");
  if (o.resume && out.empty())
    throw Error(Error::Kind::usage, "--resume needs --out: the file of the run to continue");
  refuse_collisions(run.cohort, out, o.csv, journal, is_shard);
  const bool is_new = !fs::exists(journal);
  if (!out.empty()) require_writable(out);
  if (!o.csv.empty()) require_writable(o.csv);
  return {journal, is_new};
}

void refuse_worthless(const metrics::SegmentationResult& result, const ScoredCohort& scored) {
  const std::string why = score::why_worthless(result, scored.cohort);
  if (why.empty()) return;
  if (!scored.begun.empty()) fs::remove(scored.begun);
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
  session.notes << "note: this run is complete: the results have these settings, and no file has "
                   "changed since; nothing was scored again\n";
  return done;
}

/// What would be done, for others to do.
Exit rehearse(const ScoreRun& run, const fs::path& out, const Rehearsal& told) {
  told({.cases = run.cohort.cases.size(),
        .out = out,
        .csv = run.options.csv,
        .runs_model = run.execution.waits,
        .plan = [&](std::size_t shards) { return score::balanced_plan(run.cohort, shards); }});
  return done;
}

/// Absolute, and without a slash at its end.
fs::path whole_path(const fs::path& folder) {
  if (folder.empty()) return {};
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

results::CaseRoots whole_roots(const results::CaseRoots& given) {
  results::CaseRoots out;
  for (const auto& root : results::root_members) out.*root.second = whole_path(given.*root.second);
  return out;
}

/// How the cases of a run are scored: within the memory that there is.
score::CohortRecords run_within_memory(const ScoreRun& run, score::Execution execution,
                                       const Common& common, const Session& session) {
  score::MemoryGate gate(memory_limit(run.options.max_memory));
  execution.scorer =
      score::within_memory(std::move(execution.scorer), gate, run.cohort.settings, execution.waits);
  score::CohortRecords records = run_cohort(run.cohort, execution, common, session);
  if (records.replayed != 0 && !records.interrupted)
    session.notes << "note: " << counted(records.replayed, "case")
                  << (records.replayed == 1 ? " was" : " were") << " taken from the journal\n";
  return records;
}

score::Execution execution_of(const ScoreRun& run, const fs::path& journal,
                              const Session& session) {
  score::Execution execution = run.execution;
  execution.journal = journal;
  execution.resume = run.options.resume;
  execution.version = version();
  execution.stop = &session.stop;
  return execution;
}

// ---- One shard of a cohort ------------------------------------------------------------------

Exit tell_shard(const results::Shard& shard, std::size_t cases, std::size_t failed,
                const Common& common, const Session& session) {
  if (common.json)
    session.out << fmt::format("{{\"shard\": {}, \"shards\": {}, \"cases\": {}, \"failed\": {}}}\n",
                               shard.number, shard.of, cases, failed);
  else if (!common.quiet)
    session.out << fmt::format("shard {} of {}: {}, {} failed\n", shard.number, shard.of,
                               counted(cases, "case"), failed);
  return failed == 0 ? done : some_failed;
}

/// What is not scored is named now; what it means for the cohort is said when shards are merged.
void tell_cases(const metrics::CaseRecords& records, const metrics::ScoreSettings& settings,
                const Session& session) {
  std::vector<CaseWarning> warnings;
  std::vector<const metrics::CaseRecord*> all;
  for (const metrics::CaseRecord& record : records) {
    tell_unscored(record, session.err);
    add_warnings(record, warnings);
    all.push_back(&record);
  }
  tell_warnings(warnings, session.notes);
  cli::tell("warning", metrics::own_failure_sentences(settings, all), session.err);
}

void refuse_shard_outputs(const ScoreRun& run, const Common& common) {
  if (common.out.empty())
    throw Error(Error::Kind::usage,
                "--shard needs --out: the results file that 'assay merge' will write");
  if (run.options.grand_challenge)
    throw Error(Error::Kind::usage,
                "--grand-challenge evaluates a submission in one process; drop --shard");
  if (!run.options.trackers.empty())
    throw Error(
        Error::Kind::usage,
        "--log-to cannot be used with --shard, because a shard does not have the means of the "
        "whole cohort");
  if (!run.options.csv.empty())
    throw Error(Error::Kind::usage,
                "--csv cannot go with --shard: 'assay merge DIR --csv FILE' writes the table");
}

results::ShardHeader header_of(const ScoreRun& run, const ChosenShard& chosen, const fs::path& out,
                               const Session& session) {
  results::ShardHeader header =
      score::shard_header(run.cohort, chosen.shard, chosen.plan, version());
  header.results = out.filename().string();
  header.nnunet = run.options.nnunet;
  header.anonymous = run.options.anonymous;
  if (!header.anonymous) header.roots = whole_roots(run.cohort.roots);
  header.command = header.anonymous ? without_folders(session.command) : session.command;
  return header;
}

Exit run_shard(const ScoreRun& run, const ChosenShard& chosen, const Common& common,
               const Session& session) {
  refuse_shard_outputs(run, common);
  const fs::path out = results_path(common.out, run.options, run.cohort.settings.model_name);
  const fs::path file =
      out.parent_path() / results::shard_file_name(out.filename().string(), chosen.shard);
  const JournalPlace journal = checked_outputs(run, file, true);
  const results::ShardHeader header = header_of(run, chosen, out, session);
  const std::vector<std::size_t> numbers = score::numbers_of_shard(
      run.cohort.cases.size(), header.inputs_sha256, chosen.shard, chosen.plan);
  score::keep_cases(run.cohort, numbers);
  const score::Execution execution = execution_of(run, journal.path, session);
  if (run.options.resume && score::is_finished_shard(file, header, run.cohort, execution)) {
    session.notes << "note: this shard is complete: it has these settings, and no file has changed "
                     "since; nothing was scored again\n";
    return tell_shard(chosen.shard, numbers.size(), 0, common, session);
  }
  const NewFolders folders(journal.path);
  const score::CohortRecords scored = run_within_memory(run, execution, common, session);
  if (scored.interrupted) return interrupted_after(scored, run.cohort, journal.path, session.err);
  tell_cases(scored.records, run.cohort.settings, session);
  score::write_shard_file(file, header, numbers, scored.records);
  cli::tell("shard", {file.string()}, session.notes);
  const auto whole = std::ranges::count_if(scored.records, results::is_whole);
  const std::size_t failed = numbers.size() - static_cast<std::size_t>(whole);
  if (failed == 0 && !run.options.keep_journal) fs::remove(journal.path);
  return tell_shard(chosen.shard, numbers.size(), failed, common, session);
}

results::RunTimes times_of(const ProvenanceClock& clock) {
  const auto since_1970_ms = [](std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  };
  return {since_1970_ms(clock.started()), since_1970_ms(std::chrono::system_clock::now())};
}

/// The results are written already, so a tracker that fails is told of and loses nothing else.
bool track(const results::TrackedRun& run, const std::vector<TrackerTarget>& targets,
           const Session& session) {
  bool all = true;
  for (const TrackerTarget& target : targets) try {
      target.write(run, target.place);
      cli::tell("logged to", {target.place}, session.notes);
    } catch (const Error& e) {
      cli::tell("not logged", {e.what()}, session.err);
      all = false;
    }
  return all;
}

Exit make_plan(const score::Cohort& cohort, const ShardOptions& o, const Session& session) {
  refuse_input(o.plan, score::input_files(cohort));
  write_atomically(o.plan, results::shard_plan_text(score::balanced_plan(cohort, o.plan_shards)));
  cli::tell("plan", {o.plan}, session.notes);
  return done;
}

}  // namespace

Exit put_results(ScoredCohort scored, const Common& common, const Session& session,
                 const ProvenanceClock& clock) {
  const Executor executor = pool(common, session);
  metrics::SegmentationResult result =
      metrics::scored(scored.cohort.settings, std::move(scored.records), executor);
  for (const metrics::CaseScores& c : result.cases) tell_unscored(c.record, session.err);
  refuse_worthless(result, scored);
  tell_oddities(result, session.notes);
  const std::vector<std::string> own = metrics::own_failure_sentences(result);
  cli::tell("warning", own, session.err);
  const std::vector<std::string>& warnings = scored.cohort.warnings;
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  result.warnings.insert(result.warnings.end(), own.begin(), own.end());
  results::Provenance provenance = clock.provenance(common, session, scored.anonymous);
  provenance.settings_sha256 = results::settings_sha256(scored.cohort.settings);
  if (!scored.anonymous) provenance.roots = whole_roots(scored.cohort.roots);
  write_outputs(result, scored, provenance, executor, common.json ? &session.out : nullptr);
  if (!common.json && prints_result(common, scored.out))
    session.out << report::terminal_report(result,
                                           {.color = session.out_is_terminal && !common.no_color});
  if (!scored.out.empty()) cli::tell("results", {scored.out.string()}, session.notes);
  if (!track(results::tracked_run(result, provenance, times_of(clock)), scored.trackers, session))
    return some_failed;
  return result.ledger.is_complete() || scored.grand_challenge ? done : some_failed;
}

void tell_plan(const score::Cohort& cohort, const Session& session) {
  cli::tell("warning", cohort.warnings, session.notes);
  cli::tell("note", cohort.notes, session.notes);
}

Exit run_scoring(const ScoreRun& run, const Common& common, const Session& session,
                 const ProvenanceClock& clock) {
  const ScoreOptions& o = run.options;
  const std::optional<ChosenShard> chosen = chosen_shard(o.shard);
  if (o.shard.plan_shards != 0) return make_plan(run.cohort, o.shard, session);
  if (chosen) return run_shard(run, *chosen, common, session);
  const fs::path out = results_path(common.out, o, run.cohort.settings.model_name);
  const JournalPlace journal = checked_outputs(run, out, false);
  if (session.rehearsal != nullptr) return rehearse(run, out, *session.rehearsal);
  const score::Execution execution = execution_of(run, journal.path, session);
  if (o.resume)
    if (const auto finished = finished_before(run, execution, out))
      return tell_finished(*finished, run.cohort.settings, common, session);
  const NewFolders folders(journal.path);
  score::CohortRecords records = run_within_memory(run, execution, common, session);
  if (records.interrupted) return interrupted_after(records, run.cohort, journal.path, session.err);
  std::vector<score::CasePlan>().swap(run.cohort.cases);
  const Exit exit = put_results({.cohort = run.cohort,
                                 .records = std::move(records.records),
                                 .out = out,
                                 .csv = o.csv,
                                 .trackers = o.trackers,
                                 .nnunet = o.nnunet,
                                 .anonymous = o.anonymous,
                                 .grand_challenge = o.grand_challenge,
                                 .begun = journal.is_new ? journal.path : fs::path()},
                                common, session, clock);
  if (exit == done && !o.keep_journal && !out.empty()) fs::remove(journal.path);
  return exit;
}

}  // namespace assay::cli
