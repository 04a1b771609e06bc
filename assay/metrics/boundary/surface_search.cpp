// SPDX-License-Identifier: Apache-2.0
// Where two segmentations resemble each other, no distance map is needed: most voxels of one border
// lie on the other or next to it. So the work is ordered by distance.
//
// 1. Bits in common are at distance 0; an and and a population count settle 64 voxels at once.
// 2. Neighbours. No step of two voxels along an axis is shorter than twice the least spacing, so
//    all steps of at most one voxel along each axis that are shorter than that come first in the
//    order of distance. All of one distance are a few shifts, again for 64 voxels at once.
// 3. What is left of a row is searched in other rows, in the order of their distance in the plane
//    across them, until none can be nearer than the best. Rows as far above as below, or as far
//    behind as in front, are equally far for all voxels of the row: they are combined and searched
//    together, once for eight voxels, by counting zeros on both sides of each.
// 4. A search costs the square of the distance in rows. When those so far show that all will cost
//    more than a separable transform of the whole volume would, or when they have cost half as
//    much, the rest is put off, and what was put off is settled together: by trying every row that
//    holds anything if that is less, else by the transform, whose time depends on the volume alone.
//    So surfaces far apart cost at most twice what they must, and the usual case pays nothing for
//    it.
//
// Distances are compared as squares. Rows are left out only if they are farther than the best by
// more than rounding could explain, so the order of the search does not show in the result.
#include "assay/metrics/boundary/surface_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>

#include "assay/base/processor.hpp"
#include "assay/metrics/boundary/distance_transform.hpp"
#include "assay/metrics/boundary/search_order.hpp"
#include "assay/metrics/boundary/waiting_row_x86.hpp"

namespace assay::metrics {
namespace {

constexpr double rounding = search_rounding;
constexpr std::int64_t least_allowance = 20000;
constexpr std::int64_t rows_per_voxel = 1;        ///< that searches may cost, by the volume's size
constexpr std::int64_t transform_per_voxel = 2;   ///< what a transform costs in the same measure
constexpr std::int64_t judged_every = 256;        ///< searches, from which the cost of all is told
constexpr Index chunk = BitVolume::words_behind;  ///< words of a row that are settled together
constexpr std::size_t steps_at_once = 4;          ///< between rows, after which a search may end
constexpr std::int64_t row_cost = 4;              ///< of rows laid over one another, for a voxel
constexpr std::int64_t look_cost = 9;             ///< of looking into them with eight

/// `Look` is how the voxels of a row look into another.
template <class Look>
class Search {
 public:
  Search(const BitVolume& to, const Point& spacing_mm, const Weight& weight)
      : to_(to),
        size_(to.size()),
        squares_(squares_mm2(size_, spacing_mm)),
        spacing_mm_(spacing_mm[0]),
        near_(near_rings(squares_)),
        near_counts_(near_.size()),
        disc_(disc(squares_, size_)),
        weight_(weight),
        left_(static_cast<std::size_t>(to.words() + chunk)),
        waiting_(64 * to.words()),
        overlay_(to.words()),
        allowance_(std::max(least_allowance, rows_per_voxel * volume())) {}

  DistanceTally of(const BitVolume& from) {
    count_ = from.count();
    for (Index z = 1; z + 1 < size_[2]; ++z)
      for (Index y = 1; y + 1 < size_[1]; ++y)
        if (settle_common(from.row(y, z), y, z) && settle_near(y, z)) search_left(y, z);
    settle_put_off();
    for (std::size_t n = 0; n < near_.size(); ++n)
      if (near_counts_[n] != 0) tally_.add(near_[n].squared, static_cast<double>(near_counts_[n]));
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
      visited_ += std::popcount(from[w]);
      if (const std::uint64_t both = from[w] & to[w]; both != 0) settle(both, w, y, z, 0);
      left_[static_cast<std::size_t>(w)] = from[w] & ~to[w];
      any = any || left_[static_cast<std::size_t>(w)] != 0;
    }
    return any;
  }

  bool settle_near(Index y, Index z) {
    bool any = true;
    for (std::size_t n = 0; any && n < near_.size(); ++n) {
      any = false;
      for (Index w = 0; w < to_.words(); w += chunk) {
        std::uint64_t* left = left_.data() + w;
        if ((left[0] | left[1] | left[2] | left[3]) == 0) continue;
        settle_ring(n, y, z, w);
        any = any || (left[0] | left[1] | left[2] | left[3]) != 0;
      }
    }
    return any;
  }

  /// Voxels with a neighbour in the ring. The voxels before and after a row are empty voxels of
  /// other rows; beyond those there is nothing left to settle.
  void settle_ring(std::size_t n, Index y, Index z, Index w) {
    std::uint64_t found[chunk] = {};
    for (const NearRow& near : near_[n].rows) {
      const std::uint64_t* row = to_.row(y + near.y, z + near.z) + w;
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
      if (weight_)
        settle(hit, w + i, y, z, near_[n].squared);
      else
        near_counts_[n] += std::popcount(hit);
    }
  }

  void search_left(Index y, Index z) {
    if (allowance_ < 0) return put_off_row(y, z);
    waiting_.clear();
    for (Index w = 0; w < to_.words(); ++w)
      for (std::uint64_t bits = left_[static_cast<std::size_t>(w)]; bits != 0; bits &= bits - 1)
        waiting_.add(64 * w + std::countr_zero(bits));
    waiting_.fill_lanes();
    // Whether to go on is checked every few steps: a wrong guess costs as much as some of them.
    double beyond = infinite_;
    for (std::span<const RowSteps> left = disc_.rows; !left.empty() && left[0].squared <= beyond;) {
      const auto some = left.first(std::min(left.size(), steps_at_once));
      left = left.subspan(some.size());
      beyond = look(some, y, z);
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      settle_or_put_off(voxel(waiting_.x(i), y, z), waiting_.squared(i));
    searched_ += static_cast<std::int64_t>(waiting_.size());
    if (searched_ < judged_at_) return;
    judged_at_ = searched_ + judged_every;
    if (is_hopeless()) allowance_ = -1;
  }

  /// The rows so many steps away. What lies outside is as empty as the first and the last ones are.
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

  /// A little more than the greatest of the squared distances that are still to beat.
  double look(std::span<const RowSteps> some, Index y, Index z) {
    for (std::size_t k = 0; k < some.size(); ++k) find_rows(some[k], y, z, apart_[k]);
    const auto rows = std::span<const RowsApart>(apart_).first(some.size());
    allowance_ -= std::ssize(rows) * (row_cost + look_cost * waiting_.blocks());
    const double beyond = Look::look(rows, spacing_mm_, overlay_, waiting_) * (1 + rounding);
    const double behind = squares_[0][std::min(steps(look_window), squares_[0].size() - 1)];
    return behind + some[0].squared <= beyond ? look_farther(rows) : beyond;
  }

  /// The same, for voxels whose best is farther than a window is wide.
  double look_farther(std::span<const RowsApart> rows) {
    allowance_ -= std::ssize(rows) * row_cost * static_cast<std::int64_t>(waiting_.size());
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
      put_off(from);
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
    const auto reach = static_cast<Index>(std::sqrt(found) / spacing_mm_) + 2;
    best.reach = std::min(reach, size_[0]);
  }

  std::int64_t volume() const { return size_[0] * size_[1] * size_[2]; }

  /// Whether searching on like this would cost more than the transform.
  bool is_hopeless() const {
    const std::int64_t cost = std::max(least_allowance, rows_per_voxel * volume()) - allowance_;
    return cost * (count_ - visited_) > transform_per_voxel * volume() * visited_;
  }

  /// Most searches put nothing off, so there is room for it only when one does.
  BitVolume& put_off_bits() {
    if (put_off_count_ == 0) put_off_ = BitVolume(size_);
    return put_off_;
  }

  void put_off_row(Index y, Index z) {
    std::uint64_t* into = put_off_bits().row(y, z);
    for (Index w = 0; w < to_.words(); ++w) {
      const std::uint64_t left = left_[static_cast<std::size_t>(w)];
      into[w] = left;
      put_off_count_ += std::popcount(left);
    }
  }

  void put_off(const Voxel& voxel) {
    put_off_bits().set(voxel.x, voxel.y, voxel.z);
    ++put_off_count_;
  }

  bool covers_all() const {
    return disc_.rows.size() == static_cast<std::size_t>(size_[1] * size_[2]);
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

  std::vector<Voxel> rows(const FilledRows& filled) const {
    std::vector<Voxel> out;
    for (Index z = 0; z < size_[2]; ++z)
      for (Index y = 0; y < size_[1]; ++y)
        if (filled.at(y, z)) out.push_back(voxel(0, y, z));
    return out;
  }

  void settle_put_off() {
    if (put_off_count_ == 0) return;
    const FilledRows filled(to_);
    if (row_cost * put_off_count_ * (filled.count() + 2) < transform_per_voxel * volume())
      return settle_by_all(rows(filled));
    transform_distances(put_off_, {to_, filled, squares_}, [this](const SettledVoxels& settled) {
      settled.for_each([this](const Voxel& from, double found) { add(from, found); });
    });
  }

  void settle_by_all(std::span<const Voxel> rows) {
    for (Index z = 1; z + 1 < size_[2]; ++z)
      for (Index y = 1; y + 1 < size_[1]; ++y)
        for (Index w = 0; w < to_.words(); ++w)
          for (std::uint64_t bits = put_off_.row(y, z)[w]; bits != 0; bits &= bits - 1) {
            const Voxel from = voxel(64 * w + std::countr_zero(bits), y, z);
            add(from, by_all_rows(from, rows));
          }
  }

  const BitVolume& to_;
  Place size_;
  Squares squares_;
  double spacing_mm_;  ///< along a row
  std::vector<NearRing> near_;
  std::vector<std::int64_t> near_counts_;  ///< voxels in each ring, where all weigh the same
  Disc disc_;
  const Weight& weight_;
  std::vector<std::uint64_t> left_;  ///< bits of the row under work that have no distance yet
  WaitingRow waiting_;               ///< the same, one by one
  std::array<RowsApart, steps_at_once> apart_{};
  Overlay overlay_;
  BitVolume put_off_;
  std::int64_t put_off_count_ = 0, searched_ = 0, judged_at_ = judged_every;
  std::int64_t count_ = 0, visited_ = 0;  ///< voxels in all, and those so far
  std::int64_t allowance_;                ///< rows that searches may still cost
  DistanceTally tally_;
};

/// What a search is about.
struct SearchTask {
  const BitVolume &to, &from;
  const Point& spacing_mm;
  const Weight& weight;
};

DistanceTally searched(const SearchTask& task) {
  return Search<OneByOne>(task.to, task.spacing_mm, task.weight).of(task.from);
}

#if defined(__x86_64__)
/// The same code: a search is mostly counting zeros, for which older processors have no
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
