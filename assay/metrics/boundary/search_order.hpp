// SPDX-License-Identifier: Apache-2.0
/// In which order a search looks: neighbours, then rows by their distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/metrics/boundary/distance_transform.hpp"

namespace assay::metrics {

/// What sums of squares may differ by for the order of their terms.
inline constexpr double search_rounding = 1e-12;

/// A voxel's own row or one next to it; masks say which of its bits count.
struct NearRow {
  Index y = 0, z = 0;
  std::uint64_t here = 0, beside = 0;  ///< the bit as far along, and the two next to that
};

/// All neighbours of one distance.
struct NearRing {
  double squared = 0;
  std::vector<NearRow> rows;
};

/// Up to four rows that are equally far: so many steps either way.
struct RowSteps {
  Index y = 0, z = 0;
  double y_squared = 0, z_squared = 0;
  double squared = 0;  ///< the sum
};

inline std::size_t steps(Index i) {
  return static_cast<std::size_t>(i < 0 ? -i : i);
}

inline double squared(const Squares& squares, Index x, Index y, Index z) {
  return squares[0][steps(x)] + squares[1][steps(y)] + squares[2][steps(z)];
}

/// Steps between rows by growing distance: a disc of about a thousand rows, so that what lies
/// outside is farther than its radius.
struct Disc {
  std::vector<RowSteps> rows;
  double squared_radius = 0;
};

/// All steps of at most one voxel along each axis that come before any of two, nearest first.
std::vector<NearRing> near_rings(const Squares& squares);

Disc disc(const Squares& squares, const Place& size);

}  // namespace assay::metrics
