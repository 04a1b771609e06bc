// SPDX-License-Identifier: Apache-2.0
/// The one place from which every call of a run is made: limited, paid for, retried, and on disk
/// before its answer counts.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "assay/base/journal_writer.hpp"
#include "assay/base/stop_sign.hpp"
#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/run/budget.hpp"
#include "assay/qa/run/first_answers.hpp"
#include "assay/qa/run/outage.hpp"
#include "assay/qa/run/qa_agents.hpp"
#include "assay/qa/run/qa_state.hpp"
#include "assay/qa/run/rate_limit.hpp"
#include "assay/qa/run/retry_backoff.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa {

/// Thrown to leave an attempt that stays unfinished: the run is stopping.
struct RunStopping {};

/// Shared by all workers.
class QaCalls {
 public:
  struct Parts {
    JournalWriter& journal;
    Budget& budget;
    RateLimit& limit;
    StopSign& stop;
    FirstAnswers& first_answers;
    const Prices* prices = nullptr;       ///< null: unknown
    unsigned most_output_tokens = 0;      ///< of one answer, whatever asks for them
    std::int64_t extra_input_tokens = 0;  ///< that every request carries besides its chat
    bool gives_up = true;                 ///< on a server that refuses every single item
    RetrySettings retry{};
    unsigned hopeless = 8;     ///< so many attempts in a row without any answer end the run
    std::string asked_with{};  ///< kept with every call; see qa_settings.hpp
    /// Called with what people should know during the run, from any thread; may be empty.
    std::function<void(const std::string&)> warn{};
    /// Called in the same way with why nothing goes on; with "" when it does again.
    std::function<void(const std::string&)> waiting{};
    /// Called before a call waits for its next try, with the status of the last one.
    std::function<void(double wait_s, int status)> waits{};
  };

  explicit QaCalls(const Parts& parts)
      : parts_(parts), outage_(parts.retry.first_wait_s, parts.retry.longest_wait_s) {}

  struct Call {
    AttemptKey key;
    CallPlace place;
    std::string request_sha256;
  };

  /// Asks until there is an answer. Throws RunStopping or AttemptFailed.
  ModelReply answer(Answerer& answerer, const QaQuestion& question, const Call& call);

  /// Ends the run when the journal cannot be written: nothing may be asked that is not recorded.
  void record(const QaRecord& record);

  std::size_t made() const { return made_; }
  std::size_t retried() const { return retried_; }
  std::size_t above_reserve() const { return above_reserve_; }
  ServedModels served() const;

 private:
  struct Reservation {
    TokenBound bound;
    Budget::Reserve money;
    std::size_t images = 0;
  };

  /// The failures of one call so far.
  struct Failures {
    std::uint64_t answers = 0;  ///< of all workers, when it failed last
    unsigned all = 0;
    unsigned counted = 0;  ///< without those that all calls had in common
  };

  bool wait_for_turn();
  void retry(const ModelFailure& failure, Failures& failures, bool scout);
  void tell_outage(const ModelFailure& failure, double lasts_s);
  void tell_answered();
  Reservation leave(const QaQuestion& question, const Call& call);
  ModelReply take(ModelReply reply, const Reservation& reservation, CallRecord record);
  void take(const ModelFailure& failure, const Reservation& reservation, CallRecord record);
  [[noreturn]] void give_up(const std::string& error);
  void check_reserve(const ModelReply& reply, const Reservation& reservation);
  std::string budget_sentence(double bound_usd) const;
  void wait(const ModelFailure& failure, unsigned failures);
  template <class Write>
  void guarded(Write write);

  Parts parts_;
  Outage outage_;
  std::atomic<std::size_t> made_ = 0, retried_ = 0;
  std::atomic<std::size_t> above_reserve_ = 0;  ///< replies that cost more than was set aside
  std::atomic<bool> answered_ = false;
  std::atomic<unsigned> in_vain_ = 0;  ///< attempts given up since the last answer
  mutable std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> told_;  ///< of the outage
  ServedModels served_;
};

/// What was asked, independent of the provider: texts, and images by their hashes.
std::string request_sha256(const Chat& chat);

}  // namespace assay::qa
