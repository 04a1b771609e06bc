// SPDX-License-Identifier: Apache-2.0
/// How often a call is tried again, and after how long.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace assay::qa {

/// The defaults of `qa run`.
struct RetrySettings {
  unsigned retries = 10;  ///< of one call, after transient errors
  double first_wait_s = 1, longest_wait_s = 60;
  /// How long an outage, in which no call is answered, is waited out; 0: `retries` is all there is.
  double patience_s = 0;
};

/// A server that asks to be left alone for a day will ask again.
inline constexpr double longest_asked_wait_s = 3600;

/// The pause after a number of failures in a row, which doubles with each. `share` of it is waited,
/// so that workers which failed together do not return together, but never less than the server
/// asked for.
inline double backoff_s(const RetrySettings& retry, unsigned failures, double share,
                        std::optional<double> asked_for_s) {
  const double pause = std::min(retry.longest_wait_s, retry.first_wait_s * std::exp2(failures - 1));
  return std::max(share * pause, std::min(asked_for_s.value_or(0), longest_asked_wait_s));
}

}  // namespace assay::qa
