// SPDX-License-Identifier: Apache-2.0
/// From a map of probabilities and a mask to the evidence for every probability metric.
#pragma once

#include <cstdint>
#include <span>

#include "assay/metrics.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// The masks are as `pack_foreground` leaves them, with a bit for every value of the map.
struct ProbabilityScene {
  ProbabilityView prediction;
  std::span<const std::uint64_t> reference;
  std::span<const std::uint64_t> ignored{};  ///< voxels that leave every count; may be empty
};

/// Every value lies between 0 and 1. Exact: no bins but those of the calibration error.
ProbabilityEvidence probability_evidence(const ProbabilityScene& scene);

}  // namespace assay::metrics
