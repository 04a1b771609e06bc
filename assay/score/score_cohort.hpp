// SPDX-License-Identifier: Apache-2.0
/// A cohort, scored on all cores, with a journal to resume from.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/results/finished_run.hpp"
#include "assay/score/cohort.hpp"

namespace assay::score {

/// How to run, as opposed to what to score: nothing here changes a number.
struct Execution {
  unsigned jobs = 1;
  std::filesystem::path journal{};  ///< "": none
  bool resume = false;
  std::string version{};  ///< of the program, for the journal
  /// Called after each case, from any thread but never from two at once.
  std::function<void(std::size_t done, std::size_t total, const metrics::CaseRecord& last)>
      progress{};
  const std::atomic<bool>* stop =
      nullptr;  ///< set by a signal: finish the cases under way, no more
  /// How a case is scored; unset: its files are read and counted.
  std::function<metrics::CaseRecord(const CasePlan& plan, Workspace& workspace)> scorer{};
  /// Whether a case that the journal has needs no more work; unset: none does.
  std::function<bool(const CasePlan& plan)> is_complete{};
  /// Cases wait for more than a core (their turn at a model, a program): they get threads of their
  /// own, so that those of the pool stay free for the work.
  bool waits = false;
};

struct CohortRecords {
  std::vector<metrics::CaseRecord> records;  ///< in the order of the cohort; short when interrupted
  std::size_t replayed = 0;  ///< taken from the journal instead of being scored again
  bool interrupted = false;
};

/// The run that wrote a results file, if it asked for the same as this one and every case was
/// scored from the files that are there now; then nothing is left to do. Throws Error when the
/// results are of other settings, cases or another version, and no journal says otherwise.
std::optional<results::FinishedRun> finished_cohort(const Cohort& cohort,
                                                    const Execution& execution,
                                                    const std::filesystem::path& results);

/// Scores every case. The records do not depend on `jobs`, nor on how often the run was resumed.
/// Throws Error when the journal belongs to another request, is damaged, or cannot be written.
CohortRecords scored_cohort(const Cohort& cohort, const Execution& execution);

}  // namespace assay::score
