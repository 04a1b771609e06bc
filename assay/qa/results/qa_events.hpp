// SPDX-License-Identifier: Apache-2.0
/// What happens around the calls of a run: small records of its journal, for people who look at it
/// (`assay qa status`). Answers and costs do not depend on them, the salvage's aside.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace assay::qa {

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

}  // namespace assay::qa
