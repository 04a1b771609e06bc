// SPDX-License-Identifier: Apache-2.0
/// The records of a question-answering run's journal. docs/formats/journal.md describes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "assay/qa.hpp"
#include "assay/qa/agent/agent_loop.hpp"
#include "assay/qa/results/qa_events.hpp"
#include "assay/qa/values/chat.hpp"

namespace assay::qa {

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
