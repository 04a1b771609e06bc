// SPDX-License-Identifier: Apache-2.0
/// Confidence intervals of a proportion such as an accuracy.
#pragma once

#include <cstdint>

#include "assay/statistics.hpp"

namespace assay::stats {

/// Wilson's interval (1927), for its coverage. `successes` of `trials`, at least one trial;
/// otherwise an Error.
Interval proportion_interval(std::uint64_t successes, std::uint64_t trials, double level = 0.95);

}  // namespace assay::stats
