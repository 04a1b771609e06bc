// SPDX-License-Identifier: Apache-2.0
/// Money that many workers spend at once, without ever spending more than there is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace assay {

/// Before a call leaves, the most that it can cost is set aside; when its cost is known, the rest
/// is free again. So what was spent and what is under way together never exceed the limit.
class Budget {
 public:
  /// What earlier starts spent, and what they may have spent on calls without a known end.
  Budget(std::optional<double> limit_usd, double spent_usd, double possible_usd = 0)
      : limit_(limit_usd), spent_(spent_usd), possible_(possible_usd) {}

  bool limited() const { return limit_.has_value(); }

  /// Sets `worst` aside; waits while calls under way may free what is missing. False when it does
  /// not fit even then, or when `stop` says so.
  template <class Stop>
  bool reserve(double worst_usd, Stop stop) {
    if (!limit_) return true;
    std::unique_lock lock(mutex_);
    const auto fits = [&] {
      return spent_ + possible_ + reserved_ + worst_usd <= *limit_ + rounding;
    };
    while (!fits() && under_way_ > 0 && !stop()) freed_.wait_for(lock, patience);
    if (!fits() || stop()) return false;
    reserved_ += worst_usd;
    ++under_way_;
    return true;
  }

  /// A reserved call ended: it cost `cost`, or may have cost `possible`.
  void settle(double worst_usd, double cost_usd, double possible_usd = 0) {
    const std::lock_guard lock(mutex_);
    spent_ += cost_usd;
    possible_ += possible_usd;
    if (!limit_) return;
    if (--under_way_ == 0)
      reserved_ = 0;  // sums of doubles leave crumbs
    else
      reserved_ -= worst_usd;
    freed_.notify_all();
  }

  double spent() const {
    const std::lock_guard lock(mutex_);
    return spent_;
  }
  double possible() const {
    const std::lock_guard lock(mutex_);
    return possible_;
  }
  std::optional<double> limit() const { return limit_; }

 private:
  static constexpr double rounding = 1e-9;  // ten calls of 0.1 must fit into 1
  static constexpr std::chrono::milliseconds patience{50};

  std::optional<double> limit_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  double spent_, possible_, reserved_ = 0;
  int under_way_ = 0;
};

}  // namespace assay
