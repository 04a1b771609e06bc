// SPDX-License-Identifier: Apache-2.0
/// The records of a question-answering run's journal. docs/formats/journal.md describes them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "assay/qa.hpp"
#include "assay/qa/agent/agent_loop.hpp"
#include "assay/qa/values/chat.hpp"

namespace assay::qa {

// What happens around the calls of a run: small records of its journal, for people who look at it
// (`assay qa status`). Answers and costs do not depend on them, the salvage's aside.

/// Every setting that can change an answer: name and value (as JSON text), in order.
struct SettingsRecord {
  std::vector<std::pair<std::string, std::string>> values;
};

/// Times are seconds since 1970.
struct StartEvent {
  double at_s = 0;
  std::string timestamp{};  ///< that the results of this start will have
  std::string host{};       ///< a hash of its name: is that process on this machine?
  std::string rules{};      ///< that read the answers
  unsigned runs = 1;
  std::size_t attempts = 0, done = 0;  ///< in all, and by earlier starts
  std::optional<double> budget_usd{};
  SettingsRecord settings{};  ///< once more, in case that the first record is damaged
};

struct StopEvent {
  double at_s = 0;
  std::string why{};  ///< "": everything was asked
  bool interrupted = false;
};

/// The process lives. Calls have no times of their own, so this is also their clock.
struct PulseEvent {
  double at_s = 0;
};

/// A call waits before its next try.
struct WaitEvent {
  double at_s = 0, until_s = 0;
  int status = 0;  ///< of HTTP; 0: no answer came
};

/// Records were lost; what follows from that for the costs.
struct SalvageEvent {
  double at_s = 0;
  std::size_t lost = 0;           ///< pieces of the file
  double possible_usd = 0;        ///< that calls among them may have cost
  std::size_t unknown_calls = 0;  ///< that may have cost something, at no known price
};

/// Of a later version: not for us.
struct OtherEvent {};

using QaEvent =
    std::variant<StartEvent, StopEvent, PulseEvent, WaitEvent, SalvageEvent, OtherEvent>;

/// Which attempt a record belongs to.
struct AttemptKey {
  std::string benchmark, item;
  unsigned run = 0;

  bool operator==(const AttemptKey&) const = default;
  bool operator<(const AttemptKey& other) const {
    return std::tie(benchmark, item, run) < std::tie(other.benchmark, other.item, other.run);
  }
};

/// Written before a call of a budgeted run leaves: if no answer follows, it may have been charged.
struct SentRecord {
  AttemptKey key;
  CallPlace place;
  double worst_usd = 0;   ///< all that was set aside
  double margin_usd = 0;  ///< of it, because an earlier reply exceeded its bound by so much
};

/// A call that was answered, or that failed (`failure` says how, and `reply` is empty).
struct CallRecord {
  AttemptKey key;
  CallPlace place;
  std::string request_sha256;
  ModelReply reply{};  ///< its cost is what counts: the provider's, else by the price table
  std::string failure{};
  double possible_usd = 0;  ///< of a call without known cost that may have been charged
  bool charged = false;     ///< a failed call may have been, at a price that is not known
  double seconds = 0;
  /// What may change from one call to the next, as a JSON object: see asked_with in
  /// qa/run/qa_settings.hpp; "": as the run's settings say.
  std::string asked_with{};
};

/// An attempt that came to its end.
struct AttemptRecord {
  AttemptKey key;
  Outcome outcome = Outcome::scored;  ///< scored: answered; labels are read later, by any rules
  std::string prediction{}, error{}, trajectory_file{};
  bool resumable = false;  ///< errored between two calls: the recorded ones stay good
};

using QaRecord = std::variant<SettingsRecord, SentRecord, CallRecord, AttemptRecord, QaEvent>;

/// One line of JSON.
std::string qa_record_text(const QaRecord& record);

/// Throws Error::input on text that is not such a record.
QaRecord parse_qa_record(std::string_view text);

}  // namespace assay::qa
