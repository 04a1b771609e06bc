// SPDX-License-Identifier: Apache-2.0
/// One sign that all workers of a run watch: raised by Ctrl-C, or by a worker that found a reason.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>

namespace assay {

class StopSign {
 public:
  /// `interrupted`: set by a signal; may be null.
  explicit StopSign(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}

  bool raised() const { return raised_ || interrupted(); }
  bool interrupted() const { return interrupted_ != nullptr && interrupted_->load(); }

  /// The first reason stays. The sign is raised even when there is no memory for the reason.
  void raise(std::string_view why) {
    const std::lock_guard lock(mutex_);
    try {
      if (!raised_) why_ = why;
    } catch (const std::bad_alloc&) {
      why_ = "no memory left";  // short enough to need none
    }
    raised_ = true;
  }

  /// "" when only the user stopped it.
  std::string why() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }

  /// Sleeps until `time`; returns false as soon as the sign is raised. A signal does not wake a
  /// condition variable, so the sign is checked now and then.
  bool sleep_until(std::chrono::steady_clock::time_point time) const {
    constexpr std::chrono::milliseconds glance{20};
    while (!raised()) {
      const auto now = std::chrono::steady_clock::now();
      if (now >= time) return true;
      std::this_thread::sleep_for(
          std::min<std::chrono::steady_clock::duration>(glance, time - now));
    }
    return false;
  }

 private:
  const std::atomic<bool>* interrupted_;
  std::atomic<bool> raised_ = false;
  mutable std::mutex mutex_;
  std::string why_;
};

}  // namespace assay
