// SPDX-License-Identifier: Apache-2.0
// Where two segmentations resemble each other, no distance map is needed: most voxels of one border
// lie on the other or next to it. So the work is ordered by distance.
//
// 1. Neighbours, the voxel itself first. No step of two voxels along an axis is shorter than twice
//    the least spacing, so all steps of at most one voxel along each axis that are shorter than
//    that come first in the order of distance. Each distance takes a few shifts, and an AND and a
//    population count settle 64 voxels at once.
// 2. The rest of a row is searched in other rows, in the order of their distance in the plane
//    across them, until none can be nearer than the best. Rows equally far above and below, or in
//    front and behind, are equally far for all voxels of the row. They are combined and searched
//    together, once for eight voxels, by counting zeros on both sides of each.
// 3. A search costs the square of the distance in rows. All searches together may cost about as
//    much as a separable transform of the whole volume, whose time depends on the volume alone.
//    Voxels that are left then, or are farther than a search looks, are settled by the transform.
//    So surfaces far apart cost at most about twice what they must, and the usual case pays
//    nothing for it.
//
// Distances are compared as squares. Rows are left out only if they are farther than the best by
// more than rounding could explain, so the order of the search does not affect the result.
#include "assay/metrics/boundary/surface_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "assay/base/processor.hpp"
#include "assay/metrics/boundary/distance_transform.hpp"
#include "assay/metrics/boundary/waiting_row.hpp"

namespace assay::metrics {
namespace {

constexpr double rounding = 1e-12;        ///< of sums of squares, relative
constexpr std::size_t most_rows = 1200;   ///< of one search; farther voxels are put off
constexpr std::size_t steps_at_once = 4;  ///< steps between rows after which a search may end
constexpr Index voxels_per_step = 5;  ///< voxels that a transform handles at the cost of one step
constexpr Index chunk = BitVolume::words_behind;  ///< words of a slice that are settled together

/// A voxel's own row or one next to it; masks say which of its bits count.
struct NearRow {
  Index y = 0, z = 0;
  std::uint64_t here = 0, beside = 0;  ///< the bit at the same x, and the two next to it
};

/// All neighbours of one distance, and how many voxels have one there and none nearer.
struct NearRing {
  double squared = 0;
  std::vector<NearRow> rows;
  std::int64_t voxels = 0;
};

/// Up to four rows that are equally far: this many steps either way.
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

/// Steps between rows in order of distance: a disc of about a thousand rows, so that everything
/// outside is farther than its radius.
struct Disc {
  std::vector<RowSteps> rows;
  double squared_radius = 0;
};

/// All steps of at most one voxel along each axis that are shorter than any of two, nearest first.
/// The first ring is the voxel itself.
std::vector<NearRing> near_rings(const Squares& squares) {
  const double least = std::min({squares[0][1], squares[1][1], squares[2][1]});
  std::map<double, NearRing> rings;
  for (Index z = -1; z <= 1; ++z)
    for (Index y = -1; y <= 1; ++y)
      for (const Index x : {0, 1}) {
        const double d = squared(squares, x, y, z);
        if (d != 0 && d >= 4 * least * (1 - rounding)) continue;
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
  // The radius of an ellipse that contains that many rows.
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

/// `Look` is how the voxels of a row search another row.
template <class Look>
class Search {
 public:
  Search(const BitVolume& to, const Point& spacing_mm, const Weight& weight)
      : to_(to),
        size_(to.size()),
        squares_(squares_mm2(size_, spacing_mm)),
        spacing_mm_(spacing_mm[0]),
        near_(near_rings(squares_)),
        weight_(weight),
        left_(static_cast<std::size_t>(to.words() * size_[1] + chunk)),
        waiting_(64 * to.words()),
        overlay_(to.words()),
        allowance_(size_[0] * size_[1] * size_[2] / voxels_per_step) {}

  DistanceTally of(const BitVolume& from) {
    for (Index z = 1; z + 1 < size_[2]; ++z) {
      if (!settle_common(from.row(0, z), z) || !settle_near(z)) continue;
      for (Index y = 1; y + 1 < size_[1]; ++y)
        if (std::ranges::any_of(left_of(y), [](std::uint64_t bits) { return bits != 0; }))
          search_left(y, z);
    }
    // Before the others, which may fill the table: one more entry would double it.
    for (const NearRing& ring : near_)
      if (ring.voxels != 0) tally_.add(ring.squared, static_cast<double>(ring.voxels));
    settle_put_off();
    return std::move(tally_);
  }

 private:
  static constexpr double infinite_ = std::numeric_limits<double>::infinity();

  /// Settles bits of word `w` of a slice. Voxels that weigh the same are only counted here.
  void settle(std::uint64_t bits, Index w, Index z, NearRing& ring) {
    if (!weight_) {
      ring.voxels += std::popcount(bits);
      return;
    }
    const Index y = w / to_.words(), x = 64 * (w % to_.words());
    for (; bits != 0; bits &= bits - 1)
      tally_.add(ring.squared, weight_(voxel(x + std::countr_zero(bits), y, z)));
  }

  static Voxel voxel(Index x, Index y, Index z) {
    return {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
            static_cast<std::int32_t>(z)};
  }

  /// Settles the voxels of a slice that lie on the other border; whether bits are left.
  bool settle_common(const std::uint64_t* from, Index z) {
    const std::uint64_t* to = to_.row(0, z);
    std::uint64_t any = 0;
    for (Index w = 0; w < to_.words() * size_[1]; ++w) {
      if (const std::uint64_t both = from[w] & to[w]; both != 0) settle(both, w, z, near_.front());
      left_[static_cast<std::size_t>(w)] = from[w] & ~to[w];
      any |= left_[static_cast<std::size_t>(w)];
    }
    return any != 0;
  }

  /// Settles voxels with a neighbour near enough; whether bits of the slice are left. Short rows
  /// are settled several at once. The first and the last row are empty.
  bool settle_near(Index z) {
    bool any = false;
    for (Index w = to_.words(); w < to_.words() * (size_[1] - 1); w += chunk) {
      const auto is_left = [left = left_.data() + w] {
        return (left[0] | left[1] | left[2] | left[3]) != 0;
      };
      for (std::size_t n = 1; n < near_.size() && is_left(); ++n) settle_ring(near_[n], z, w);
      any = any || is_left();
    }
    return any;
  }

  /// Voxels with a neighbour in the ring. The voxels before and after a row are empty voxels of
  /// other rows; beyond those there is nothing left to settle.
  void settle_ring(NearRing& ring, Index z, Index w) {
    std::uint64_t found[chunk] = {};
    for (const NearRow& near : ring.rows) {
      const std::uint64_t* row = to_.row(near.y, z + near.z) + w;
      for (Index i = 0; i < chunk; ++i) {
        const std::uint64_t beside =
            row[i] << 1 | row[i - 1] >> 63 | row[i] >> 1 | row[i + 1] << 63;
        found[i] |= (row[i] & near.here) | (beside & near.beside);
      }
    }
    for (Index i = 0; i < chunk; ++i) {
      std::uint64_t& left = left_[static_cast<std::size_t>(w + i)];
      const std::uint64_t hit = left & found[i];
      left &= ~hit;
      if (hit != 0) settle(hit, w + i, z, ring);
    }
  }

  /// What is left of a row of the current slice.
  std::span<const std::uint64_t> left_of(Index y) const {
    return std::span(left_).subspan(static_cast<std::size_t>(y * to_.words()),
                                    static_cast<std::size_t>(to_.words()));
  }

  void search_left(Index y, Index z) {
    if (allowance_ < 0) return put_off_row(y, z);
    if (disc_.rows.empty()) disc_ = disc(squares_, size_);
    waiting_.clear();
    for (Index w = 0; w < to_.words(); ++w)
      for (std::uint64_t bits = left_of(y)[static_cast<std::size_t>(w)]; bits != 0;
           bits &= bits - 1)
        waiting_.add(64 * w + std::countr_zero(bits));
    waiting_.fill_lanes();
    // Whether to continue is checked only every few steps, since a mispredicted branch costs as
    // much as some of them.
    double beyond = infinite_;
    for (std::span<const RowSteps> left = disc_.rows; !left.empty() && left[0].squared <= beyond;) {
      const auto some = left.first(std::min(left.size(), steps_at_once));
      left = left.subspan(some.size());
      beyond = look(some, y, z);
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      settle_or_put_off(voxel(waiting_.x(i), y, z), waiting_.squared(i));
  }

  /// The rows that many steps away. Rows outside are replaced by the first or the last one, which
  /// is empty.
  void find_rows(const RowSteps& step, Index y, Index z, RowsApart& into) const {
    const std::uint64_t* here = to_.row(y, z);
    const Index row = to_.words(), slab = row * size_[1];
    const Index before = std::min(step.y, y) * row,
                behind = std::min(step.y, size_[1] - 1 - y) * row;
    const Index below = std::min(step.z, z) * slab,
                above = std::min(step.z, size_[2] - 1 - z) * slab;
    into.rows[0] = here - below - before;
    into.rows[1] = here - below + behind;
    into.rows[2] = here + above - before;
    into.rows[3] = here + above + behind;
    into.y_squared = step.y_squared;
    into.z_squared = step.z_squared;
  }

  /// A little more than the greatest of the voxels' best squared distances so far.
  double look(std::span<const RowSteps> some, Index y, Index z) {
    for (std::size_t k = 0; k < some.size(); ++k) find_rows(some[k], y, z, apart_[k]);
    const auto rows = std::span<const RowsApart>(apart_).first(some.size());
    // Combining rows costs half as much as searching them.
    allowance_ -= std::ssize(rows) * (1 + 2 * waiting_.blocks());
    const double beyond = Look::look(rows, spacing_mm_, overlay_, waiting_) * (1 + rounding);
    const double behind = squares_[0][std::min(steps(look_window), squares_[0].size() - 1)];
    return behind + some[0].squared <= beyond ? look_farther(rows) : beyond;
  }

  /// The same, for voxels whose best is farther than a window is wide.
  double look_farther(std::span<const RowsApart> rows) {
    allowance_ -= std::ssize(rows) * static_cast<std::int64_t>(waiting_.size());
    for (const RowsApart& each : rows) {
      if (!overlay_.lay(each)) continue;
      for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const Index x = nearest_bit(overlay_.row(), to_.words(), waiting_.x(i), size_[0]);
        const double found = squares_[0][steps(x)] + each.y_squared + each.z_squared;
        if (x < size_[0]) waiting_.squared(i) = std::min(waiting_.squared(i), found);
      }
    }
    return waiting_.greatest() * (1 + rounding);
  }

  void settle_or_put_off(const Voxel& from, double squared) {
    if (squared * (1 + rounding) < disc_.squared_radius || covers_all())
      add(from, squared);
    else
      put_off_bits().set(from.x, from.y, from.z);
  }

  /// Most searches put nothing off, so memory for it is allocated only when one does.
  BitVolume& put_off_bits() {
    if (put_off_.words() == 0) put_off_ = BitVolume(size_);
    return put_off_;
  }

  void put_off_row(Index y, Index z) { std::ranges::copy(left_of(y), put_off_bits().row(y, z)); }

  bool covers_all() const {
    return disc_.rows.size() == static_cast<std::size_t>(size_[1] * size_[2]);
  }

  void add(const Voxel& from, double distance2) {
    weight_ ? tally_.add(distance2, weight_(from)) : tally_.add_voxel(distance2);
  }

  void settle_put_off() {
    if (put_off_.words() == 0) return;
    transform_distances(
        put_off_, {to_, FilledRows(to_), squares_}, [this](const SettledVoxels& settled) {
          if (weight_)
            return settled.for_each([this](const Voxel& v, double found) { add(v, found); });
          settled.for_each([this](const Voxel&, double found) { tally_.add_voxel(found); });
        });
  }

  const BitVolume& to_;
  Place size_;
  Squares squares_;
  double spacing_mm_;  ///< along a row
  std::vector<NearRing> near_;
  Disc disc_;  ///< made for the first row that needs it, since neighbours settle most surfaces
  const Weight& weight_;
  std::vector<std::uint64_t> left_;  ///< bits of the current slice that have no distance yet
  WaitingRow waiting_;               ///< those of one row, one by one
  std::array<RowsApart, steps_at_once> apart_{};
  Overlay overlay_;
  BitVolume put_off_;
  std::int64_t allowance_;  ///< what searches may still cost, in steps between rows
  DistanceTally tally_;
};

/// The arguments of a search.
struct SearchTask {
  const BitVolume &to, &from;
  const Point& spacing_mm;
  const Weight& weight;
};

DistanceTally searched(const SearchTask& task) {
  return Search<OneByOne>(task.to, task.spacing_mm, task.weight).of(task.from);
}

#if defined(__x86_64__)
/// The same code for newer processors. A search mostly counts zeros, for which older ones have no
/// instruction.
[[gnu::flatten, gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] DistanceTally searched_avx2(
    const SearchTask& task) {
  return Search<EightAtOnce>(task.to, task.spacing_mm, task.weight).of(task.from);
}
#else
const auto searched_avx2 = searched;
#endif

}  // namespace

DistanceTally distances_to(const BitVolume& to, const BitVolume& from, const Point& spacing_mm,
                           const Weight& weight) {
  assert(to.size() == from.size());
  return (has_bit_counts() ? searched_avx2 : searched)({to, from, spacing_mm, weight});
}

}  // namespace assay::metrics
