// SPDX-License-Identifier: Apache-2.0
/// Numbers that every statistic needs.
#pragma once

#include <limits>

namespace assay::stats {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr double squared(double x) {
  return x * x;
}

}  // namespace assay::stats
