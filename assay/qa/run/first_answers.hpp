// SPDX-License-Identifier: Apache-2.0
/// Notices early that a run gets nothing for its money.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/values/chat.hpp"

namespace assay::qa {

/// Watches the first replies and the first finished attempts. When all of them were cut off,
/// refused or empty, it says so and what to change, once. One useful answer ends the watch. Shared
/// by all workers.
class FirstAnswers {
 public:
  struct Settings {
    bool watches = true;
    std::size_t attempts = 8;           ///< so many attempts are enough to judge
    std::string_view api{};             ///< its way to ask for less reasoning is named
    unsigned max_output_tokens = 8192;  ///< what was asked for
  };

  explicit FirstAnswers(const Settings& settings)
      : settings_(settings), attempts_{.enough = settings.attempts} {}

  /// A sentence when the run should stop, else "".
  std::string take(const ModelReply& reply);
  std::string take(const AttemptRecord& attempt);

  /// Whether an attempt came to something that can be read. One that broke off says nothing.
  static bool useful(const AttemptRecord& attempt);

 private:
  enum class Kind { useful, truncated, refused, empty };

  struct Tally {
    std::size_t enough = 8;
    std::array<std::size_t, 4> counts{};
  };

  static Kind kind_of(const AttemptRecord& attempt);
  std::string count(Tally& tally, Kind kind);
  std::string sentence(const Tally& tally) const;

  Settings settings_;
  std::mutex mutex_;
  bool over_ = false;
  Tally replies_{}, attempts_;
};

}  // namespace assay::qa
