// SPDX-License-Identifier: Apache-2.0
/// A benchmark run: every question asked, every call on disk, any interruption survived.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/qa.hpp"
#include "assay/qa/run/qa_agents.hpp"
#include "assay/qa/run/qa_calls.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_progress.hpp"
#include "assay/qa/run/qa_state.hpp"
#include "assay/qa/run/retry_backoff.hpp"
#include "assay/qa/values/mode.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa {

/// What decides the answers. A run that was begun goes on only with the same.
struct QaRunSettings {
  std::string agent, api{}, command{};
  ModelSettings model{};
  LoopSettings loop{};
  int jpeg_quality = 85;
};

/// How to run, as opposed to what is asked: free to change from one start to the next.
struct QaExecution {
  std::filesystem::path folder;
  unsigned runs = 1, concurrency = 8;
  unsigned requests_per_minute = 0, tokens_per_minute = 0;  ///< 0: no limit
  std::optional<double> budget_usd{};
  PriceTable prices{};
  unsigned most_output_tokens = 0;  ///< that --request-json allows, if it is more than the settings
  /// Attempts that came to one of these ends are made once more: truncated, refused, unparsed,
  /// errored.
  std::vector<Outcome> ask_again{};
  bool keep_going = false;  ///< even if none of the first answers can be used
  RetrySettings retry{};
  ExtractionRules rules = ExtractionRules::assay;
  std::string version{};
  std::string timestamp{};
  const std::atomic<bool>* stop = nullptr;
  std::function<double()> now = seconds_now;  ///< for the events of the journal
  /// Called after each attempt and about every second, from any thread but never from two at once.
  std::function<void(const QaProgress& progress)> progress{};
  /// Called with a sentence that should not wait for the end, in the same way.
  std::function<void(const std::string& sentence)> warn{};
  /// Called at the start with a sentence if not all threads can be started; may be empty.
  std::function<void(const std::string& sentence)> slower{};
  /// Called in the same way with why nothing goes on, and with "" when it does again.
  std::function<void(const std::string& sentence)> waiting{};
};

struct QaRunReport {
  std::vector<QaResult> results;  ///< one per chosen benchmark
  std::size_t calls = 0;          ///< made by this start
  std::size_t retried = 0;        ///< of those, tries after a failure
  std::size_t replayed = 0;       ///< attempts taken from the journal
  double spent_usd = 0;           ///< known costs of all starts together
  double possible_usd = 0;        ///< of calls that broke or were cut off: perhaps charged
  std::size_t unknown_costs = 0;  ///< attempts whose cost is not known
  std::size_t above_reserve = 0;  ///< replies that cost more than was set aside, of all starts
  double largest_excess_usd = 0;  ///< of a reply over the most that it should cost
  std::size_t begun = 0;          ///< attempts that stand between two calls
  std::size_t answered = 0;       ///< calls that were answered, of all starts together
  bool resumed = false, interrupted = false;
  std::string stopped{};  ///< why the run ended early; "" otherwise
};

/// What must not change between two starts, by name.
SettingsRecord relevant_settings(const QaRunSettings& settings, const ItemTable& table);

/// The results as far as the journal goes; `settings` as it has them.
std::vector<QaResult> run_results(const QaPlan& plan, const SettingsRecord& settings,
                                  const QaExecution& execution, const QaState& state);

/// Asks what the journal has no answer to. The results do not depend on concurrency, nor on how
/// often the run was cut off. Throws Error when the folder belongs to another run or cannot be
/// written.
QaRunReport run_qa(const QaPlan& plan, const QaAgent& agent, const QaRunSettings& settings,
                   const QaExecution& execution);

}  // namespace assay::qa
