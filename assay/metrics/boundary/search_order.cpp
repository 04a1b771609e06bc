// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/search_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace assay::metrics {
namespace {

constexpr std::size_t most_rows = 1200;  ///< of one search; beyond, a voxel is put off

}  // namespace

std::vector<NearRing> near_rings(const Squares& squares) {
  const double least = std::min({squares[0][1], squares[1][1], squares[2][1]});
  std::map<double, NearRing> rings;
  for (Index z = -1; z <= 1; ++z)
    for (Index y = -1; y <= 1; ++y)
      for (const Index x : {0, 1}) {
        const double d = squared(squares, x, y, z);
        if (d == 0 || d >= 4 * least * (1 - search_rounding)) continue;
        NearRing& ring = rings[d];
        ring.squared = d;
        if (ring.rows.empty() || ring.rows.back().y != y || ring.rows.back().z != z)
          ring.rows.push_back({.y = y, .z = z});
        (x == 0 ? ring.rows.back().here : ring.rows.back().beside) = ~std::uint64_t{0};
      }
  std::vector<NearRing> out;
  out.reserve(rings.size());
  for (auto& [d, ring] : rings) out.push_back(std::move(ring));
  return out;
}

Disc disc(const Squares& squares, const Place& size) {
  Disc out;
  const double one_y = squares[1][1], one_z = squares[2][1];
  // The radius at which an ellipse of rows has that many of them.
  const double area = std::sqrt(one_y * one_z) * static_cast<double>(most_rows) / 3.1416;
  out.squared_radius = area;
  const auto most = [&](double one, Index limit) {
    const auto furthest = static_cast<Index>(std::sqrt(area / one)) + 1;
    return std::min(furthest, limit - 1);
  };
  const Index most_y = most(one_y, size[1]), most_z = most(one_z, size[2]);
  for (Index z = 0; z <= most_z; ++z)
    for (Index y = 0; y <= most_y; ++y) {
      const double y_squared = squares[1][steps(y)], z_squared = squares[2][steps(z)];
      if (const double d = y_squared + z_squared; d <= area)
        out.rows.push_back({y, z, y_squared, z_squared, d});
    }
  std::ranges::stable_sort(out.rows, {}, &RowSteps::squared);
  return out;
}

}  // namespace assay::metrics
