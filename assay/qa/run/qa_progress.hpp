// SPDX-License-Identifier: Apache-2.0
/// How far a run is, in words, and the pulse by which other processes see that it lives.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "assay/base/journal_writer.hpp"
#include "assay/base/stop_sign.hpp"
#include "assay/qa/results/qa_journal.hpp"

namespace assay::qa {

struct QaProgress {
  std::size_t done = 0, total = 0;  ///< attempts
  std::size_t failed = 0;           ///< of those that this start made
  std::size_t calls = 0, retried = 0;
  double spent_usd = 0;  ///< known costs
  std::optional<double> budget_usd{};
};

/// "$1.20", and "$0.0042" for what would round to nothing.
std::string dollar_text(double usd);

/// "$1.20 of $50.00, 3 retries"; "" when there is nothing to say.
std::string money_and_errors(const QaProgress& progress);

/// Seconds since 1970.
double seconds_now();

/// "2026-11-17 12:00:03Z".
std::string utc_text(double seconds);

/// One plain line a minute, for logs.
class MinuteLines {
 public:
  explicit MinuteLines(double start_s, double interval_s = 60)
      : interval_s_(interval_s), started_s_(start_s), due_s_(start_s + interval_s) {}

  /// The line that is due at this time, if one is.
  std::optional<std::string> line(double now_s, const QaProgress& progress);

 private:
  double interval_s_, started_s_, due_s_;
};

/// A hash of this machine's name.
std::string host_hash();

/// Tells the journal that a run begins, lives, waits and ends. None of these records is waited for.
class RunPulse {
 public:
  struct Parts {
    JournalWriter& journal;
    StopSign& stop;
    std::function<double()> now;        ///< seconds since 1970
    std::function<void()> each_second;  ///< may be empty
    std::chrono::milliseconds second{1000};
    unsigned seconds_per_pulse = 10;
  };

  RunPulse(Parts parts, StartEvent start);
  ~RunPulse() = default;
  RunPulse(const RunPulse&) = delete;
  RunPulse& operator=(const RunPulse&) = delete;

  /// A call waits before its next try. Short waits are not worth a record.
  void waits(double wait_s, int status);

  /// Where no thread can be started, an end of an attempt is a moment to do what is due.
  void catch_up();

  /// The last record of this start.
  void end(const std::string& why, bool interrupted);

 private:
  void add(const QaEvent& event);
  void run(const std::stop_token& stop);

  Parts parts_;
  std::chrono::steady_clock::time_point due_{};  ///< the next beat without a thread
  std::mutex mutex_;
  std::condition_variable_any wake_;  // takes memory, so it is not made by the thread
  std::jthread thread_;               // last: it uses all of the above
};

}  // namespace assay::qa
