// SPDX-License-Identifier: Apache-2.0
/// The families of metrics that metric.cpp joins into one table.
#pragma once

#include <span>

#include "assay/metrics.hpp"

namespace assay::metrics {

extern const std::span<const Metric> overlap_metrics;
extern const std::span<const Metric> volume_metrics;
extern const std::span<const Metric> boundary_metrics;
extern const std::span<const Metric> lesion_metrics;
extern const std::span<const Metric> probability_metrics;

}  // namespace assay::metrics
