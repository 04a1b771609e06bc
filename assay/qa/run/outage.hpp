// SPDX-License-Identifier: Apache-2.0
/// A server that answers nobody: all workers wait for one that tries now and then.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>

namespace assay::qa {

/// From the first failure until the next answer, whoever gets it. While it lasts, one call at a
/// time is tried, after pauses that grow: every try may be charged, and none of them says more than
/// the others would.
class Outage {
 public:
  using Clock = std::chrono::steady_clock;

  Outage(double first_pause_s, double longest_pause_s)
      : first_pause_s_(first_pause_s), longest_pause_s_(longest_pause_s) {}

  /// Answers so far: a call that fails twice while this does not change shares its fate with all.
  std::uint64_t answers() const {
    const std::lock_guard lock(mutex_);
    return answers_;
  }

  /// An answer came; true when it ends an outage.
  bool answered() {
    const std::lock_guard lock(mutex_);
    ++answers_;
    const bool ended = since_.has_value();
    since_.reset();
    scouting_ = false;
    tries_ = 0;
    return ended;
  }

  /// A call failed; `scout`: it was the one that was let through. `asked_for_s`: the server wants
  /// to be left alone for so long.
  void failed(Clock::time_point now, bool scout, double asked_for_s = 0) {
    const std::lock_guard lock(mutex_);
    if (!since_) {
      since_ = now;
      next_ = now;
    }
    if (scout) {
      ++tries_;
      scouting_ = false;
    }
    const double pause_s = std::min(longest_pause_s_, first_pause_s_ * std::exp2(tries_));
    next_ = std::max(next_, now + seconds(std::max(pause_s, asked_for_s)));
  }

  /// Until the next try.
  double pause_s(Clock::time_point now) const {
    const std::lock_guard lock(mutex_);
    return since_ ? std::max(0.0, std::chrono::duration<double>(next_ - now).count()) : 0;
  }

  /// How long nobody has been answered; 0 when the last call was.
  double lasts_s(Clock::time_point now) const {
    const std::lock_guard lock(mutex_);
    return since_ ? std::chrono::duration<double>(now - *since_).count() : 0;
  }

  enum class Turn { free, scout, wait };

  /// Whether a call may leave: freely when there is no outage, as the scout when it is time for
  /// one, and otherwise not yet. A scout's call must end in answered() or failed().
  Turn turn(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (!since_) return Turn::free;
    if (scouting_ || now < next_) return Turn::wait;
    scouting_ = true;
    return Turn::scout;
  }

 private:
  static Clock::duration seconds(double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
  }

  double first_pause_s_, longest_pause_s_;
  mutable std::mutex mutex_;
  std::optional<Clock::time_point> since_;
  Clock::time_point next_{};
  std::uint64_t answers_ = 0;
  double tries_ = 0;
  bool scouting_ = false;
};

}  // namespace assay::qa
