// SPDX-License-Identifier: Apache-2.0
/// Money that many workers spend at once.
///
/// The guarantee: as long as no reply costs more than was set aside for it, spending never exceeds
/// the limit. When replies do cost more, the limit is exceeded by at most the excess of the replies
/// that were under way at the same time: no new call is made that does not fit.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace assay::qa {

/// Before a call leaves, the most that it can cost is set aside, and with it the largest amount by
/// which a reply exceeded its bound so far; when the cost is known, the rest is free again.
class Budget {
 public:
  /// What earlier starts left: their known costs, what calls without a known end may have cost, and
  /// the largest excess of a reply over its bound.
  struct Past {
    double spent_usd = 0, possible_usd = 0, largest_excess_usd = 0;
  };

  /// Money set aside for one call.
  struct Reserve {
    double bound_usd = 0;   ///< the most that it should cost
    double margin_usd = 0;  ///< the largest excess seen when it left

    double set_aside_usd() const { return bound_usd + margin_usd; }
  };

  Budget(std::optional<double> limit_usd, const Past& past)
      : limit_(limit_usd),
        spent_(past.spent_usd),
        possible_(past.possible_usd),
        largest_excess_(past.largest_excess_usd) {}

  bool limited() const { return limit_.has_value(); }

  /// Sets money aside for a call; waits while calls under way may free what is missing. Nothing
  /// when it does not fit even then, or when `stop` says so.
  template <class Stop>
  std::optional<Reserve> reserve(double bound_usd, Stop stop) {
    std::unique_lock lock(mutex_);
    if (!limit_) return Reserve{bound_usd, largest_excess_};
    const auto fits = [&] {
      return spent_ + possible_ + reserved_ + bound_usd + largest_excess_ <= *limit_ + rounding;
    };
    while (!fits() && under_way_ > 0 && !stop()) freed_.wait_for(lock, patience);
    if (!fits() || stop()) return std::nullopt;
    const Reserve reserve{bound_usd, largest_excess_};
    reserved_ += reserve.set_aside_usd();
    ++under_way_;
    return reserve;
  }

  /// A call ended: it cost `cost`, or may have cost `possible`.
  void settle(const Reserve& reserve, double cost_usd, double possible_usd = 0) {
    const std::lock_guard lock(mutex_);
    spent_ += cost_usd;
    possible_ += possible_usd;
    if (reserve.bound_usd > 0)  // 0: there was no price to bound it by
      largest_excess_ = std::max(largest_excess_, cost_usd - reserve.bound_usd);
    if (!limit_) return;
    if (--under_way_ == 0)
      reserved_ = 0;  // sums of doubles leave crumbs
    else
      reserved_ -= reserve.set_aside_usd();
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
  double largest_excess() const {
    const std::lock_guard lock(mutex_);
    return largest_excess_;
  }
  std::optional<double> limit() const { return limit_; }

 private:
  static constexpr double rounding = 1e-9;  // ten calls of 0.1 must fit into 1
  static constexpr std::chrono::milliseconds patience{50};

  std::optional<double> limit_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  double spent_, possible_, largest_excess_, reserved_ = 0;
  int under_way_ = 0;
};

}  // namespace assay::qa
