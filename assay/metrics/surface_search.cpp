// SPDX-License-Identifier: Apache-2.0
// Where two segmentations resemble each other, no distance map is needed: most voxels of one border
// lie on the other or next to it. So the work is ordered by distance.
//
// 1. Bits in common are at distance 0; an and and a population count settle 64 voxels at once.
// 2. Neighbours. No step of two voxels along an axis is shorter than twice the least spacing, so
//    all steps of at most one voxel along each axis that are shorter than that come first in the
//    order of distance. Each is a shift and an and, again for 64 voxels at once.
// 3. What is left is searched one by one: rows in the order of their distance in the plane across
//    them, the nearest bit of each row by counting zeros, until no row can be nearer than the best.
// 4. A search costs the square of the distance in rows. When those so far tell that all will cost
//    more than a separable transform of the whole volume would, or when they have cost half as
//    much, the rest is put off, and what was put off is settled together: by trying every row that
//    holds anything if that is less, else by the transform, whose time depends on the volume alone.
//    So surfaces far apart cost at most twice what they must, and the usual case pays nothing for
//    it.
//
// Distances are compared as squares. Rows are left out only if they are farther than the best by
// more than rounding could explain, so the order of the search does not show in the result.
#include "assay/metrics/surface_search.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "assay/metrics/distance_transform.hpp"

namespace assay {
namespace {

constexpr double rounding = 1e-12;
constexpr std::size_t most_row_steps = 1200;  ///< of one search; beyond, a voxel is put off
constexpr std::int64_t least_allowance = 20000;
constexpr std::int64_t rows_per_voxel = 1;       ///< that searches may cost, by the volume's size
constexpr std::int64_t transform_per_voxel = 2;  ///< what a transform costs in the same measure
constexpr std::int64_t judged_every = 256;       ///< searches, from which the cost of all is told
constexpr int row_cost = 4;  ///< of looking into a row, where passing an empty one costs 1

struct Neighbour {
  Index x = 0, y = 0, z = 0;
  double squared = 0;
};

struct RowStep {
  std::int32_t y = 0, z = 0;
  double squared = 0;
};

std::size_t steps(Index i) {
  return static_cast<std::size_t>(i < 0 ? -i : i);
}

double squared(const Squares& squares, Index x, Index y, Index z) {
  return squares[0][steps(x)] + squares[1][steps(y)] + squares[2][steps(z)];
}

std::vector<Neighbour> neighbours(const Squares& squares) {
  const double least = std::min({squares[0][1], squares[1][1], squares[2][1]});
  std::vector<Neighbour> out;
  for (Index z = -1; z <= 1; ++z)
    for (Index y = -1; y <= 1; ++y)
      for (Index x = -1; x <= 1; ++x) {
        const double d = squared(squares, x, y, z);
        if (d > 0 && d < 4 * least * (1 - rounding)) out.push_back({x, y, z, d});
      }
  std::ranges::stable_sort(out, {}, &Neighbour::squared);
  return out;
}

/// Steps between rows by growing distance: a disc of no more than `most_row_steps`, whole, so that
/// what lies outside is farther than `radius` squared.
struct Disc {
  std::vector<RowStep> rows;
  double squared_radius = 0;
};

Disc disc(const Squares& squares, const Place& size) {
  Disc out;
  const double one_y = squares[1][1], one_z = squares[2][1];
  // The radius at which an ellipse of rows has that many of them.
  const double area = std::sqrt(one_y * one_z) * static_cast<double>(most_row_steps) / 3.1416;
  out.squared_radius = area;
  const auto most = [&](double one, Index limit) {
    const auto furthest = static_cast<Index>(std::sqrt(area / one)) + 1;
    return std::min(furthest, limit - 1);
  };
  const Index most_y = most(one_y, size[1]), most_z = most(one_z, size[2]);
  for (Index z = -most_z; z <= most_z; ++z)
    for (Index y = -most_y; y <= most_y; ++y)
      if (const double d = squares[1][steps(y)] + squares[2][steps(z)]; d <= area)
        out.rows.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(z), d});
  std::ranges::stable_sort(out.rows, {}, &RowStep::squared);
  return out;
}

class Search {
 public:
  Search(const BitVolume& to, const Point& spacing_mm, const Weight& weight)
      : to_(to),
        size_(to.size()),
        squares_(squares_mm2(size_, spacing_mm)),
        per_step_(1 / spacing_mm[0]),
        filled_(to),
        near_(neighbours(squares_)),
        disc_(disc(squares_, size_)),
        weight_(weight),
        left_(static_cast<std::size_t>(to.words())),
        put_off_(size_),
        allowance_(std::max(least_allowance, rows_per_voxel * volume())) {}

  DistanceTally of(const BitVolume& from) {
    count_ = from.count();
    for (Index z = 1; z + 1 < size_[2]; ++z)
      for (Index y = 1; y + 1 < size_[1]; ++y)
        if (settle_common(from.row(y, z), y, z) && settle_near(y, z)) search_left(y, z);
    settle_put_off();
    return std::move(tally_);
  }

 private:
  static constexpr double infinite_ = std::numeric_limits<double>::infinity();

  void settle(std::uint64_t bits, Index w, Index y, Index z, double distance2) {
    if (!weight_) return tally_.add(distance2, std::popcount(bits));
    for (; bits != 0; bits &= bits - 1)
      tally_.add(distance2, weight_(voxel(64 * w + std::countr_zero(bits), y, z)));
  }

  static Voxel voxel(Index x, Index y, Index z) {
    return {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
            static_cast<std::int32_t>(z)};
  }

  /// Whether bits of the row are left.
  bool settle_common(const std::uint64_t* from, Index y, Index z) {
    const std::uint64_t* to = to_.row(y, z);
    bool any = false;
    for (Index w = 0; w < to_.words(); ++w) {
      if (from[w] == 0) {
        left_[static_cast<std::size_t>(w)] = 0;
        continue;
      }
      visited_ += std::popcount(from[w]);
      if (const std::uint64_t both = from[w] & to[w]; both != 0) settle(both, w, y, z, 0);
      left_[static_cast<std::size_t>(w)] = from[w] & ~to[w];
      any = any || left_[static_cast<std::size_t>(w)] != 0;
    }
    return any;
  }

  bool settle_near(Index y, Index z) {
    bool any = true;
    for (auto near = near_.begin(); any && near != near_.end(); ++near) {
      if (!filled_.at(y + near->y, z + near->z)) continue;
      const std::uint64_t* row = to_.row(y + near->y, z + near->z);
      any = false;
      for (Index w = 0; w < to_.words(); ++w) {
        std::uint64_t& left = left_[static_cast<std::size_t>(w)];
        if (left == 0) continue;
        if (const auto hit = left & shifted(row, to_.words(), w, near->x); hit != 0) {
          settle(hit, w, y, z, near->squared);
          left &= ~hit;
        }
        any = any || left != 0;
      }
    }
    return any;
  }

  void search_left(Index y, Index z) {
    if (allowance_ < 0) return put_off_row(y, z);
    for (Index w = 0; w < to_.words(); ++w)
      for (std::uint64_t bits = left_[static_cast<std::size_t>(w)]; bits != 0; bits &= bits - 1)
        search(voxel(64 * w + std::countr_zero(bits), y, z));
  }

  /// The least squared distance so far, a little more than that, and how far along a row a bit can
  /// lie that is nearer.
  struct Best {
    double squared = infinite_, beyond = infinite_;
    Index reach;
  };

  void try_row(const Voxel& from, Index y, Index z, Best& best) const {
    const Index x = nearest_bit(to_.row(y, z), to_.words(), from.x, best.reach);
    if (x >= best.reach) return;
    const double found = squared(squares_, x, y - from.y, z - from.z);
    if (found >= best.squared) return;
    best = {found, found * (1 + rounding), size_[0]};
    const auto reach = static_cast<Index>(std::sqrt(found) * per_step_) + 2;
    best.reach = std::min(reach, size_[0]);
  }

  void search(const Voxel& from) {
    if (allowance_ < 0) return put_off(from);
    if (++searched_ % judged_every == 0 && is_hopeless()) allowance_ = -1;
    Best best = {.reach = size_[0]};
    for (const RowStep& step : disc_.rows) {
      if (step.squared > best.beyond) break;
      --allowance_;
      const Index y = from.y + step.y, z = from.z + step.z;
      if (y < 0 || z < 0 || y >= size_[1] || z >= size_[2] || !filled_.at(y, z)) continue;
      allowance_ -= row_cost;
      try_row(from, y, z, best);
    }
    if (best.beyond < disc_.squared_radius || covers_all()) return add(from, best.squared);
    put_off(from);
  }

  std::int64_t volume() const { return size_[0] * size_[1] * size_[2]; }

  /// Whether searching on like this would cost more than the transform.
  bool is_hopeless() const {
    const std::int64_t cost = std::max(least_allowance, rows_per_voxel * volume()) - allowance_;
    return cost * (count_ - visited_) > transform_per_voxel * volume() * visited_;
  }

  void put_off_row(Index y, Index z) {
    for (Index w = 0; w < to_.words(); ++w) {
      const std::uint64_t left = left_[static_cast<std::size_t>(w)];
      put_off_.row(y, z)[w] = left;
      put_off_count_ += std::popcount(left);
    }
  }

  void put_off(const Voxel& voxel) {
    put_off_.set(voxel.x, voxel.y, voxel.z);
    ++put_off_count_;
  }

  bool covers_all() const {
    return disc_.rows.size() == static_cast<std::size_t>((2 * size_[1] - 1) * (2 * size_[2] - 1));
  }

  void add(const Voxel& from, double distance2) {
    tally_.add(distance2, weight_ ? weight_(from) : 1);
  }

  double by_all_rows(const Voxel& from, std::span<const Voxel> rows) const {
    Best best = {.reach = size_[0]};
    for (const Voxel& row : rows)
      if (squares_[1][steps(row.y - from.y)] + squares_[2][steps(row.z - from.z)] <= best.beyond)
        try_row(from, row.y, row.z, best);
    return best.squared;
  }

  std::vector<Voxel> rows() const {
    std::vector<Voxel> out;
    for (Index z = 0; z < size_[2]; ++z)
      for (Index y = 0; y < size_[1]; ++y)
        if (filled_.at(y, z)) out.push_back(voxel(0, y, z));
    return out;
  }

  void settle_put_off() {
    if (put_off_count_ == 0) return;
    if (row_cost * put_off_count_ * (filled_.count() + 2) < transform_per_voxel * volume())
      return settle_by_all_rows();
    transform_distances(put_off_, {to_, filled_, squares_}, [this](const SettledVoxels& settled) {
      settled.for_each([this](const Voxel& from, double found) { add(from, found); });
    });
  }

  void settle_by_all_rows() {
    const std::vector<Voxel> all = rows();
    for (Index z = 1; z + 1 < size_[2]; ++z)
      for (Index y = 1; y + 1 < size_[1]; ++y)
        for (Index w = 0; w < to_.words(); ++w)
          for (std::uint64_t bits = put_off_.row(y, z)[w]; bits != 0; bits &= bits - 1) {
            const Voxel from = voxel(64 * w + std::countr_zero(bits), y, z);
            add(from, by_all_rows(from, all));
          }
  }

  const BitVolume& to_;
  Place size_;
  Squares squares_;
  double per_step_;  ///< steps along a row in a mm
  FilledRows filled_;
  std::vector<Neighbour> near_;
  Disc disc_;
  const Weight& weight_;
  std::vector<std::uint64_t> left_;  ///< bits of the row under work that have no distance yet
  BitVolume put_off_;
  std::int64_t put_off_count_ = 0, searched_ = 0;
  std::int64_t count_ = 0, visited_ = 0;  ///< of all voxels, and of those so far
  std::int64_t allowance_;                ///< rows that searches may still cost
  DistanceTally tally_;
};

}  // namespace

DistanceTally distances_to(const BitVolume& to, const BitVolume& from, const Point& spacing_mm,
                           const Weight& weight) {
  assert(to.size() == from.size());
  return Search(to, spacing_mm, weight).of(from);
}

}  // namespace assay
