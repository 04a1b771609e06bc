// SPDX-License-Identifier: Apache-2.0
/// The counts of many regions from one joint histogram.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/metrics.hpp"

namespace assay::metrics {

/// What `confusion` gives for each region. `counts` are ascending, as `joint_counts` leaves them.
/// Each region reads only the entries that concern it, so an image of 65,536 labels takes no longer
/// than one of a few.
std::vector<Confusion> confusions(std::span<const JointCount> counts,
                                  std::span<const Region> regions,
                                  std::optional<Label> ignored = {});

}  // namespace assay::metrics
