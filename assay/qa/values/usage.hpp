// SPDX-License-Identifier: Apache-2.0
/// What a call consumed. Unknown is nothing, never zero.
#pragma once

#include <cstdint>
#include <optional>

namespace assay::qa {

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
    return *input + cache_write.value_or(0) + cache_read.value_or(0) + *output;
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
