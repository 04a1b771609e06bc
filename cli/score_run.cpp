// SPDX-License-Identifier: Apache-2.0
#include "cli/score_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "assay/core/error.hpp"
#include "assay/io/file.hpp"
#include "assay/io/results.hpp"
#include "assay/report/terminal.hpp"
#include "assay/report/text_table.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

fs::path results_path(const std::string& out, const ScoreOptions& o, const std::string& model) {
  return output_file(out, o.format == "nnunet" ? "summary.json" : model + ".json");
}

/// A result must never take the place of an image that it is made from, nor of another result.
void refuse_collisions(const Cohort& cohort, const fs::path& out, const fs::path& csv) {
  if (!out.empty() && out.lexically_normal() == csv.lexically_normal())
    throw Error(Error::Kind::usage, "--out and --csv name the same file");
  for (const fs::path& target : {out, csv}) refuse_input(target, input_files(cohort));
}

bool is_empty_everywhere(const SegmentationResult& result, std::size_t region) {
  return std::ranges::all_of(result.cases, [&](const CaseScores& c) {
    return c.record.fate != Fate::scored ||
           presence(c.labels[region].evidence.counts) == Presence::both_empty;
  });
}

/// Names what was not scored, and what was odd, on standard error.
void report_troubles(const SegmentationResult& result, const Common& common, std::ostream& err) {
  std::vector<CaseWarning> warnings;
  for (const CaseScores& c : result.cases) {
    if (c.record.fate != Fate::scored)
      err << "not scored: " << printable(c.record.id + ": " + c.record.error) << '\n';
    else
      for (const std::string& warning : c.record.warnings)
        warnings.push_back({c.record.id, warning});
  }
  if (!common.quiet) tell_warnings(warnings, err);
  for (std::size_t r = 0; r < result.regions.size() && !common.quiet; ++r)
    if (result.ledger.scored != 0 && is_empty_everywhere(result, r))
      err << "warning: label " << printable(result.regions[r].key)
          << " is empty in every prediction and every reference\n";
}

std::string file_text(const SegmentationResult& result, const ScoreOptions& o,
                      const Provenance& from) {
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
    throw Error(Error::Kind::usage, "--resume needs the --out of the run that it goes on with");
  refuse_collisions(run.cohort, out, o.csv);
  const bool is_new = !fs::exists(journal);
  if (!out.empty()) require_writable(out);
  if (!o.csv.empty()) require_writable(o.csv);
  return {journal, is_new};
}

void refuse_unscored(const Ledger& ledger, bool all_wanted, const JournalPlace& journal) {
  const bool refused = all_wanted && ledger.scored < ledger.expected;
  if (ledger.scored != 0 && !refused) return;
  if (journal.is_new) fs::remove(journal.path);
  throw Error(Error::Kind::input,
              refused ? "not every case could be scored, and --missing error was asked for; "
                        "nothing was written"
                      : "no case could be scored; nothing was written");
}

}  // namespace

Exit run_scoring(const ScoreRun& run, const Common& common, const Session& session,
                 const ProvenanceClock& clock) {
  const ScoreOptions& o = run.options;
  const fs::path out = results_path(common.out, o, run.cohort.settings.model_name);
  const JournalPlace journal = checked_outputs(run, out);
  Execution execution = run.execution;
  execution.journal = journal.path;
  execution.resume = o.resume;
  execution.version = version();
  execution.stop = &session.stop;
  const CohortRecords records = run_cohort(run.cohort, execution, common, session);
  if (records.interrupted) return interrupted_after(records, run.cohort, journal.path, session.err);
  if (records.replayed != 0 && !common.quiet)
    session.err << "note: " << records.replayed << " cases were taken from the journal\n";

  const SegmentationResult result = scored(run.cohort.settings, records.records);
  report_troubles(result, common, session.err);
  refuse_unscored(result.ledger, o.missing == "error", journal);
  const Provenance provenance = clock.provenance(common, session, o.anonymous);
  if (!out.empty()) write_atomically(out, file_text(result, o, provenance));
  if (!o.csv.empty()) write_atomically(o.csv, long_csv(result));
  if (common.json)
    session.out << file_text(result, o, provenance);
  else if (prints_result(common, out))
    session.out << terminal_report(result, {.color = session.out_is_terminal && !common.no_color});
  if (!out.empty() && !common.quiet) session.err << "results: " << out.string() << '\n';
  return result.ledger.scored < result.ledger.expected ? some_failed : done;
}

}  // namespace assay::cli
