// SPDX-License-Identifier: Apache-2.0
/// From a planned cohort to its results file, table and exit status.
#pragma once

#include <iosfwd>

#include "assay/score/score_cohort.hpp"
#include "cli/commands.hpp"
#include "cli/provenance.hpp"
#include "cli/score_options.hpp"

namespace assay::cli {

/// What differs between commands that score: `execution` brings how a case is scored.
struct ScoreRun {
  score::Cohort& cohort;  ///< its cases are gone once they are scored: they take memory
  const ScoreOptions& options;
  score::Execution execution{};
};

/// What was noticed before any file was opened: what looks wrong first, then what was decided.
void tell_plan(const score::Cohort& cohort, const Common& common, std::ostream& err);

/// Scores, tells, writes. `clock` was started with the command.
Exit run_scoring(const ScoreRun& run, const Common& common, const Session& session,
                 const ProvenanceClock& clock);

}  // namespace assay::cli
