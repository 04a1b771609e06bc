// SPDX-License-Identifier: Apache-2.0
/// From a planned cohort to its results file, table and exit status.
#pragma once

#include <filesystem>
#include <iosfwd>

#include "assay/score/score_cohort.hpp"
#include "cli/commands.hpp"
#include "cli/provenance.hpp"
#include "cli/score_options.hpp"

namespace assay::cli {

/// What differs between commands that score; `execution` says how a case is scored.
struct ScoreRun {
  score::Cohort& cohort;  ///< its cases are freed once they are scored, to save memory
  const ScoreOptions& options;
  score::Execution execution{};
};

/// Reports what was noticed before any file was opened: first what looks wrong, then what was
/// decided.
void tell_plan(const score::Cohort& cohort, const Session& session);

/// A scored cohort on its way to files and a table.
struct ScoredCohort {
  const score::Cohort& cohort;  ///< its cases may have been freed
  metrics::CaseRecords records;
  std::filesystem::path out, csv;  ///< "": not written
  std::vector<TrackerTarget> trackers{};
  bool nnunet = false, anonymous = false;
  bool grand_challenge = false;   ///< its layout; failed cases do not change the exit status
  std::filesystem::path begun{};  ///< removed if the results turn out to be worthless
};

/// Reports warnings, writes files and prints the table. Throws Error if the results would be
/// worthless.
Exit put_results(ScoredCohort scored, const Common& common, const Session& session,
                 const ProvenanceClock& clock);

/// Scores the cohort and puts its results out. `clock` was started with the command.
Exit run_scoring(const ScoreRun& run, const Common& common, const Session& session,
                 const ProvenanceClock& clock);

}  // namespace assay::cli
