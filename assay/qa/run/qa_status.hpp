// SPDX-License-Identifier: Apache-2.0
/// What the journal of a run says at any moment: how far it is, what it costs, what goes wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assay/qa.hpp"
#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/run/qa_plan.hpp"

namespace assay::qa {

/// One benchmark so far. An attempt is done when it has ended, a question when one of its attempts
/// has.
struct BenchmarkStatus {
  std::string name;
  std::size_t expected = 0, done = 0;     ///< attempts; expected is 0 where it is not known
  std::size_t questions = 0, right = 0;   ///< done ones; right by vote
  std::array<std::size_t, 7> outcomes{};  ///< of done attempts, by Outcome
};

/// What a run is doing.
///   killed    it did not come to its end, and no process writes it
///   unknown   version 0.1 did not record its end
enum class RunState { running, ended, killed, unknown };

std::span<const Named<RunState>> run_states();

struct QaStatus {
  RunState state = RunState::unknown;
  std::string stopped{};  ///< why the last start ended early; "" otherwise
  bool interrupted = false;
  SettingsRecord settings{};
  std::size_t starts = 0;                            ///< recorded ones
  std::optional<double> started_s{}, last_seen_s{};  ///< of the last start
  std::vector<BenchmarkStatus> benchmarks{};
  bool knows_truth = false;                       ///< otherwise `right` is not known
  std::size_t done = 0, expected = 0, begun = 0;  ///< attempts

  double spent_usd = 0;  ///< known costs
  double reserved_usd = 0;
  double possible_usd = 0;  ///< of calls that broke off
  std::size_t in_flight = 0, unknown_costs = 0;
  std::optional<double> budget_usd{}, projected_usd{};

  std::size_t answered = 0, failed = 0, retries = 0, rate_limited = 0;  ///< calls
  std::int64_t tokens = 0;  ///< of calls that report them
  std::optional<double> calls_per_minute{}, tokens_per_minute{}, left_s{};
  std::map<std::string, std::size_t> call_errors{}, attempt_errors{};  ///< by kind

  std::size_t waiting = 0;  ///< calls that wait for their next try
  std::optional<double> waiting_until_s{};
  int waiting_status = 0;
  std::size_t lost = 0;  ///< pieces that salvages could not keep
};

/// What the journal does not say.
struct StatusMoment {
  double now_s = 0;
  bool locked = false;  ///< by a process of this machine
  std::string host{};   ///< this machine, as events name it
};

/// Takes the records of a journal in order and keeps only what a status needs.
class StatusReader {
 public:
  /// `plan`: nothing for runs of version 0.1.
  explicit StatusReader(std::optional<QaPlan> plan);

  /// Throws Error::input on a record that no run writes.
  void take(std::string_view record);

  QaStatus status(const StatusMoment& moment) const;

 private:
  struct Place {
    std::int64_t step = 0, attempt = 0;
    bool operator==(const Place&) const = default;
  };
  struct Seen {
    std::size_t benchmark = 0;
    std::optional<std::size_t> question{};  ///< of the plan
    unsigned run = 0;
    bool ended = false;
    Outcome outcome = Outcome::skipped;
    std::optional<std::int64_t> label{};
    double known_usd = 0;
    bool answered = false;
    std::size_t sent_in_start = 0;  ///< 0: no call is under way
    double sent_usd = 0;
    std::optional<Place> failed_at{};
  };
  /// The counts at a time that the journal has.
  struct Mark {
    double at_s = 0;
    std::size_t answered = 0, ended = 0;
    std::int64_t tokens = 0;
  };
  struct CallFacts;

  void take_sent(std::string_view record);
  void take_call(std::string_view record);
  void take_attempt(std::string_view record);
  void take_event(std::string_view record);
  void take_start(const StartEvent& start);
  void end_call(Seen& seen, const CallFacts& facts);
  void pass_time(double at_s);
  std::size_t this_start() const { return sums_.starts + 1; }
  Seen& seen_of(const CallFacts& facts);
  std::size_t benchmark_of(const std::string& name);
  std::size_t right_in(std::size_t benchmark, std::size_t& questions) const;
  void add_benchmarks(QaStatus& out) const;
  void add_rates(QaStatus& out, const StatusMoment& moment) const;
  void add_waits(QaStatus& out, const StatusMoment& moment) const;
  void add_projection(QaStatus& out) const;
  RunState state_at(const StatusMoment& moment) const;

  std::optional<QaPlan> plan_;
  std::unordered_map<std::string, std::size_t> questions_;  ///< of the plan, by benchmark and id
  std::unordered_map<std::string, Seen> attempts_;
  std::vector<BenchmarkStatus> benchmarks_;
  QaStatus sums_{};
  std::optional<StartEvent> start_{};
  std::optional<StopEvent> stop_{};
  ExtractionRules rules_ = ExtractionRules::assay;
  std::size_t in_flight_ = 0, ended_ = 0;
  double in_flight_usd_ = 0, possible_usd_ = 0;
  std::deque<Mark> marks_{};
  std::vector<WaitEvent> waits_{};
};

}  // namespace assay::qa
