// SPDX-License-Identifier: Apache-2.0
/// How often a call is tried again, and after how long: the defaults of `qa run`.
#pragma once

namespace assay::qa {

struct RetrySettings {
  unsigned retries = 10;  ///< of one call, after transient errors
  double first_wait_s = 1, longest_wait_s = 60;
  /// How long an outage, in which no call is answered, is waited out; 0: `retries` is all there is.
  double patience_s = 0;
};

}  // namespace assay::qa
