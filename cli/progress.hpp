// SPDX-License-Identifier: Apache-2.0
/// A progress line for long work; shown only if someone is watching.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>

namespace assay::cli {

/// "[#######-------------]  57/200  31/s  4 s left  1 failed". Work done before the first call (in
/// a resumed run) does not count towards the speed. Not thread-safe: the caller locks.
class Progress {
 public:
  Progress(std::ostream& stream, bool visible) : stream_(stream), visible_(visible) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, std::size_t total, bool failed);
  /// The same for work that also reports while no item ends. `failed` counts all failures so far,
  /// and `details` is further text.
  void show(std::size_t done, std::size_t total, std::size_t failed, const std::string& details);
  void clear();

 private:
  void draw(std::size_t done, std::size_t total, const std::string& details);

  using Clock = std::chrono::steady_clock;

  std::ostream& stream_;
  bool visible_;
  bool drawn_ = false;
  std::size_t failed_ = 0;
  std::optional<std::size_t> before_{};
  Clock::time_point started_ = Clock::now(), last_drawn_{};
};

}  // namespace assay::cli
