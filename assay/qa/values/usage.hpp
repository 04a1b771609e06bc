// SPDX-License-Identifier: Apache-2.0
/// What a call consumed. Unknown is nothing, never zero.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace assay::qa {

/// The sum of counts that files and servers state; the largest number where it would be more.
inline std::int64_t capped_sum(std::int64_t one, std::int64_t other) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(one, other, &sum)) return sum;
  return one > 0 ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}
inline double capped_sum(double one, double other) {
  return one + other;
}

/// Tokens in the classes that providers price apart; no token is in two of the first four.
struct Usage {
  std::optional<std::int64_t> input{};  ///< neither read from nor written to a cache
  std::optional<std::int64_t> cache_write{};
  std::optional<std::int64_t> cache_read{};
  std::optional<std::int64_t> output{};     ///< reasoning included
  std::optional<std::int64_t> reasoning{};  ///< of the output

  /// All tokens; nothing when input or output is unknown. Unknown cache classes are not used.
  std::optional<std::int64_t> total() const {
    if (!input || !output) return std::nullopt;
    const std::int64_t cached = capped_sum(cache_write.value_or(0), cache_read.value_or(0));
    return capped_sum(capped_sum(*input, cached), *output);
  }

  bool operator==(const Usage&) const = default;
};

/// What a server says that a call cost, in US dollars.
struct ReportedCost {
  std::optional<double> charged{};   ///< by whoever was asked
  std::optional<double> upstream{};  ///< by the provider that a gateway asked
  bool own_key = false;              ///< that provider bills the caller, apart from the gateway
  std::optional<double> estimate{};  ///< a gateway's own sum, which nobody bills

  /// Both together; nothing when a required part is not reported. A gateway that pays its provider
  /// charges at least as much.
  std::optional<double> total() const {
    if (own_key && !upstream) return std::nullopt;
    if (own_key || charged.value_or(0) < upstream.value_or(0))
      return charged.value_or(0) + *upstream;
    return charged;
  }

  bool operator==(const ReportedCost&) const = default;
};

}  // namespace assay::qa
