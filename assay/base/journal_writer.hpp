// SPDX-License-Identifier: Apache-2.0
/// Group commit: many workers submit records, one thread makes them durable together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "assay/base/journal.hpp"

namespace assay {

/// Owns a journal and the thread that writes it. A disk sync costs more than scoring a case, so
/// records wait for up to `interval` after the last commit to be written together. If no thread can
/// be started, the thread that submits a record writes it.
class JournalWriter {
 public:
  JournalWriter(Journal journal, std::chrono::milliseconds interval);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Submits a record; returns at once. Rethrows the errors of earlier ones.
  void add(std::string record);

  /// Submits a record that a power cut may lose: others see it soon, but no commit is made for it
  /// alone.
  void add_lightly(std::string record);

  /// Submits a record and returns when it is on disk, together with all others that were waiting.
  void add_durably(std::string record);

  /// Commits the waiting records, and stops. Rethrows errors of writing.
  void finish();

 private:
  /// Returns the number of the record; call it under the lock.
  std::size_t submit(std::string record, bool commits);
  void write(const std::vector<std::string>& batch, bool commits);
  void run(const std::stop_token& stop);

  Journal journal_;
  std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable_any wake_, committed_;
  std::vector<std::string> waiting_;
  bool needs_commit_ = false;  ///< whether any waiting record does
  std::size_t added_count_ = 0, committed_count_ = 0;
  std::exception_ptr error_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace assay
