// SPDX-License-Identifier: Apache-2.0
/// Requests and tokens per minute, shared by all workers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace assay::qa {

/// Hands out times at which calls may leave, evenly spaced, so that no minute holds more than the
/// limits allow. It does not sleep: the caller waits until the given time.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// 0: no limit.
  RateLimit(unsigned requests_per_minute, unsigned tokens_per_minute)
      : requests_(requests_per_minute), tokens_(tokens_per_minute) {}

  /// When a call of at most so many tokens may leave.
  Clock::time_point next(std::int64_t tokens, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const Clock::time_point at = std::max({now, next_request_, next_token_, not_before_});
    if (requests_ > 0) next_request_ = at + share(1, requests_);
    if (tokens_ > 0) next_token_ = at + share(tokens, tokens_);
    return at;
  }

  /// A call used fewer tokens than were counted for it.
  void give_back(std::int64_t tokens) {
    const std::lock_guard lock(mutex_);
    if (tokens_ > 0) next_token_ -= share(tokens, tokens_);
  }

  /// The server asked everybody to wait.
  void pause_until(Clock::time_point time) {
    const std::lock_guard lock(mutex_);
    not_before_ = std::max(not_before_, time);
  }

 private:
  static Clock::duration share(std::int64_t amount, unsigned per_minute) {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(60.0 * static_cast<double>(amount) / per_minute));
  }

  unsigned requests_, tokens_;
  std::mutex mutex_;
  Clock::time_point next_request_{}, next_token_{}, not_before_{};
};

}  // namespace assay::qa
