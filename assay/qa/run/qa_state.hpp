// SPDX-License-Identifier: Apache-2.0
/// What the journal of a question-answering run says was done, and what it cost.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/journal.hpp"
#include "assay/qa/results/qa_journal.hpp"

namespace assay::qa {

/// Sums over the answered calls of an attempt; nothing as soon as one is unknown.
struct CallTotals {
  std::optional<double> cost_usd = 0.0;
  double known_usd = 0;  ///< of the calls whose cost is known
  std::optional<std::int64_t> tokens = 0;
  unsigned calls = 0;

  void add(const ModelReply& reply);
};

struct AttemptState {
  std::optional<AttemptRecord> end{};     ///< nothing: still to be done
  std::optional<AttemptRecord> before{};  ///< its end that is asked again: counts until a new one
  std::vector<CallRecord> calls{};        ///< answered ones that an unfinished attempt can replay
  CallTotals totals{};                    ///< of all answered calls, dropped ones too
  unsigned dropped = 0;                   ///< calls that belong to the end before
  bool has_gaps = false;  ///< records were lost: calls that do not match are asked again

  /// The end that counts in the results; null when there is none.
  const AttemptRecord* last_end() const { return end ? &*end : before ? &*before : nullptr; }
  /// Some of its calls are done, and not all.
  bool begun() const { return !end && totals.calls > dropped; }
};

/// Whether an attempt that came to its end is to be made once more; empty: none is.
using AskAgain = std::function<bool(const AttemptRecord& record)>;

/// How often a server said that it was this model of this provider.
using ServedModels = std::map<std::pair<std::string, std::string>, std::size_t>;

struct QaState {
  std::map<AttemptKey, AttemptState> attempts;
  ServedModels served;
  std::map<std::string, std::size_t> asked_with;  ///< answered calls by what may change
  double spent_usd = 0;                           ///< known costs
  double possible_usd = 0;        ///< of calls that broke or were under way when the run was killed
  double largest_excess_usd = 0;  ///< of a reply over the most that it should cost
  std::size_t above_reserve = 0;  ///< replies that cost more than was set aside for them
  std::size_t unknown_costs = 0;  ///< answered calls without a known cost

  /// Takes one record.
  void take(QaRecord record, const AskAgain& again = {});

  /// At the end of a journal: calls that were sent without a price, and never answered.
  void count_calls_under_way();

 private:
  void take_call(CallRecord record);
  void take_attempt(AttemptRecord record, const AskAgain& again);

  void take_event(const QaEvent& event);
  void compare_with(const SentRecord& sent, const CallRecord& record);

  std::map<AttemptKey, SentRecord> under_way_;  ///< sent, not answered
};

struct OpenedRun {
  Journal journal;
  QaState state;
  bool resumed = false;
};

/// Opens the journal under its lock: begins it, or reads it if it was begun with the same lasting
/// settings. Throws Error::input that names the settings which differ.
OpenedRun opened_run(const std::filesystem::path& path, const SettingsRecord& settings,
                     const JournalHeader& header, const AskAgain& again = {});

}  // namespace assay::qa
