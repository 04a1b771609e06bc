// SPDX-License-Identifier: Apache-2.0
/// A small question-answering benchmark for the demonstration: a made-up slide, a dozen questions,
/// and a model on loopback that answers by a fixed rule.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "assay/demo/loopback_server.hpp"

namespace assay::demo {

struct DemoBenchmark {
  std::filesystem::path table, slides, prices;
  std::size_t questions = 0;
};

/// Writes the whole benchmark below `folder`.
DemoBenchmark write_demo_benchmark(const std::filesystem::path& folder);

/// Speaks the chat protocol. It asks for two crops of each slide, then answers by a rule that is
/// sometimes wrong, and counts the calls.
class DemoModel {
 public:
  DemoModel();
  DemoModel(const DemoModel&) = delete;
  DemoModel& operator=(const DemoModel&) = delete;
  /// Releases all waiting requests.
  ~DemoModel();

  std::string base_url() const;

  /// After this many answered calls, further calls are held without an answer.
  void hold_after(std::size_t answered);
  /// Waits until `count` calls are held; false when that takes longer than a demonstration should.
  bool wait_until_held(std::size_t count);
  void release();

  std::size_t answered() const;
  std::size_t answered_twice() const;  ///< calls that were answered more than once
  double paid_twice_usd() const;

 private:
  ServerResponse respond(const ServerRequest& request);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t limit_;
  std::size_t answered_ = 0, held_ = 0, repeated_ = 0;
  std::map<std::size_t, std::size_t> times_;  ///< by hash of the request
  LoopbackServer server_;                     // last: its threads use all of the above
};

}  // namespace assay::demo
