// SPDX-License-Identifier: Apache-2.0
/// What rows of the metric table say, as JSON.
#pragma once

#include "assay/base/json.hpp"
#include "assay/metrics.hpp"

namespace assay::results {

/// What a failure of the model counts; null where failures do not count.
inline Json failure_json(const metrics::Metric& metric) {
  if (!metric.failure) return nullptr;
  return *metric.failure == metrics::infinity ? Json("image diagonal") : Json(*metric.failure);
}

}  // namespace assay::results
