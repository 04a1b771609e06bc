// SPDX-License-Identifier: Apache-2.0
// The squared Euclidean distance is a sum over the axes, so the nearest bit can be found axis by
// axis (Meijster, Roerdink and Hesselink 2000; Felzenszwalb and Huttenlocher 2012):
//
//   d2(x, y, z) = min over z' of (z - z')2 + min over y' of (y - y')2 + min over x' of (x - x')2
//
// The innermost minimum is the nearest bit of one row, which counting zeros gives without a table.
// The other two are lower envelopes of parabolas: one per row of a slice, then one per slice. An
// envelope is built in one sweep with a stack, since each new parabola hides a run of the last
// ones, and is read off in another. Neither divides: where two parabolas cross is only ever
// compared, by products when an envelope is built and by values when it is read.
//
// Two things keep it small. Rows and slices without a bit have no parabola. And columns are taken
// eight at a time, one cache line of doubles: the heights of a block, 8 x rows x slices, stay in
// the cache, and only rows and columns in which a distance is asked for are evaluated.
//
// Distances that are known to be too large need no parabola either. A transform of a grid four
// times as coarse costs little and says how far the voxels of a column can be at most: a bit of the
// coarse grid stands for one within its cell. What is farther along one axis alone is left out.
//
// On grids whose squared spacings are whole numbers every step is exact. On others a product is
// rounded, so of two parabolas that cross at a voxel to 1e-12 the other one may be taken; the
// distance itself is always that of a bit, summed as everywhere else.
#include "assay/metrics/distance_transform.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace assay {
namespace {

constexpr Index block = 8;
constexpr Index coarse = 4;  ///< divides the block
constexpr double infinite = std::numeric_limits<double>::infinity();

/// The lower envelope of parabolas with one curvature.
class Envelope {
 public:
  explicit Envelope(const std::vector<double>& squares)
      : squares_(squares), stack_(squares.size() + 1) {}

  void clear() { top_ = at_ = 0; }

  /// Places must grow.
  void push(Index place, double height) {
    const auto p = static_cast<double>(place);
    const double lifted = height + squares_[1] * p * p;
    while (top_ > 1 && is_hidden(stack_[top_ - 2], stack_[top_ - 1], p, lifted)) --top_;
    stack_[top_++] = {place, p, height, lifted};
  }

  /// The least value at a place; places must not go back.
  bool empty() const { return top_ == 0; }

  double value(Index place) {
    double best = at(at_, place);
    for (; at_ + 1 < top_; ++at_) {
      const double next = at(at_ + 1, place);
      if (next > best) break;
      best = next;
    }
    return best;
  }

 private:
  struct Parabola {
    Index place = 0;
    double p = 0, height = 0, lifted = 0;
  };

  double at(std::size_t i, Index place) const {
    const Index steps = std::abs(place - stack_[i].place);
    return stack_[i].height + squares_[static_cast<std::size_t>(steps)];
  }

  /// Whether the last parabola is lowest nowhere: it meets the new one before it leaves `before`.
  static bool is_hidden(const Parabola& before, const Parabola& last, double p, double lifted) {
    return (lifted - last.lifted) * (last.p - before.p) <=
           (last.lifted - before.lifted) * (p - last.p);
  }

  const std::vector<double>& squares_;
  std::vector<Parabola> stack_;
  std::size_t top_ = 0, at_ = 0;
};

/// The greatest squared distance that a voxel of a column can have, by cells of columns.
class Limits {
 public:
  Limits(const Place& size, double squared)
      : columns_((size[0] / block + 1) * (block / coarse)),
        squares_(static_cast<std::size_t>(columns_ * (size[1] / coarse + 1)), squared) {}

  double& at(Index x, Index y) {
    return squares_[static_cast<std::size_t>(y / coarse * columns_ + x / coarse)];
  }

 private:
  Index columns_;
  std::vector<double> squares_;
};

class BlockTransform {
 public:
  BlockTransform(const BitVolume& asked, const SearchTarget& target, const Settle& settle,
                 Limits limits)
      : asked_(asked),
        target_(target),
        settle_(settle),
        limits_(std::move(limits)),
        size_(target.bits.size()),
        along_y_(target.squares[1]),
        along_z_(target.squares[2]) {
    for (Index z = 0; z < size_[2]; ++z) {
      std::vector<Index> rows;
      for (Index y = 0; y < size_[1]; ++y)
        if (target.filled.at(y, z)) rows.push_back(y);
      if (!rows.empty()) slices_.push_back({z, std::move(rows)});
    }
    heights_.resize(slices_.size() * static_cast<std::size_t>(stride()));
  }

  /// The columns start to start + 7.
  void run(Index start) {
    start_ = start;
    find_asked();
    if (columns_ == 0) return;
    for (std::size_t s = 0; s < slices_.size(); ++s) fill_slice(s);
    for (const AskedRow& row : rows_)
      for (Index k = 0; k < block; ++k)
        if ((row.columns >> k & 1) != 0) read_column(row, k);
  }

 private:
  struct Slice {
    Index z = 0;
    std::vector<Index> rows;  ///< with a bit
  };
  struct AskedRow {
    Index y = 0;
    unsigned columns = 0;
    double limit = 0;  ///< of the squared distances in it
  };

  /// One line more than needed: lines at a power of two would share a set of the cache.
  Index stride() const { return (size_[1] + 1) * block; }
  double* height(std::size_t slice, Index y) {
    return heights_.data() + static_cast<Index>(slice) * stride() + y * block;
  }

  /// Which of the eight voxels of each row are asked for, as bits; the slices of a row together.
  void find_asked() {
    const Index ny = size_[1], nz = size_[2];
    questions_.resize(static_cast<std::size_t>(ny * nz));
    for (Index z = 0; z < nz; ++z)
      for (Index y = 0; y < ny; ++y)
        questions_[static_cast<std::size_t>(y * nz + z)] =
            static_cast<std::uint8_t>(asked_.row(y, z)[start_ / 64] >> (start_ % 64) & 0xff);
    columns_ = 0;
    limit_ = 0;
    rows_.clear();
    for (Index y = 0; y < ny; ++y) {
      const std::uint8_t* row = questions_.data() + y * nz;
      const unsigned columns = std::accumulate(row, row + nz, 0U, std::bit_or<>{});
      if (columns == 0) continue;
      const double limit = std::max(limits_.at(start_, y), limits_.at(start_ + coarse, y));
      rows_.push_back({y, columns, limit});
      columns_ |= columns;
      limit_ = std::max(limit_, limit);
    }
  }

  /// Squared distances of the eight voxels to the nearest bit of a row that has one.
  void measure_row(const std::uint64_t* row, double* into) const {
    const Index words = target_.bits.words(), last = size_[0] - 1;
    const bool has_bits = (row[start_ / 64] >> (start_ % 64) & 0xff) != 0;
    const Index down = steps_down(row, start_, size_[0]);
    const Index up =
        start_ + block <= last ? steps_up(row, words, start_ + block - 1, size_[0]) : size_[0];
    for (Index k = 0; k < block; ++k) {
      const Index steps = has_bits ? nearest_bit(row, words, std::min(start_ + k, last), size_[0])
                                   : std::min(down + k, up + block - 1 - k);
      into[k] = target_.squares[0][static_cast<std::size_t>(std::min(steps, size_[0]))];
    }
  }

  void fill_slice(std::size_t s) {
    const Slice& slice = slices_[s];
    measured_.resize(slice.rows.size() * block);
    for (std::size_t i = 0; i < slice.rows.size(); ++i)
      measure_row(target_.bits.row(slice.rows[i], slice.z), measured_.data() + i * block);
    for (Index k = 0; k < block; ++k) {
      if ((columns_ >> k & 1) == 0) continue;
      along_y_.clear();
      for (std::size_t i = 0; i < slice.rows.size(); ++i)
        if (const double d = measured_[i * block + static_cast<std::size_t>(k)]; d <= limit_)
          along_y_.push(slice.rows[i], d);
      for (const AskedRow& row : rows_)
        height(s, row.y)[k] = along_y_.empty() ? infinite : along_y_.value(row.y);
    }
  }

  void read_column(const AskedRow& row, Index k) {
    const Index y = row.y;
    along_z_.clear();
    for (std::size_t s = 0; s < slices_.size(); ++s)
      if (const double d = height(s, y)[k]; d <= row.limit) along_z_.push(slices_[s].z, d);
    const std::uint8_t* asked = questions_.data() + y * size_[2];
    for (Index z = 0; z < size_[2]; ++z)
      if ((asked[z] >> k & 1) != 0)
        settle_({static_cast<std::int32_t>(start_ + k), static_cast<std::int32_t>(y),
                 static_cast<std::int32_t>(z)},
                along_z_.value(z));
  }

  const BitVolume& asked_;
  const SearchTarget& target_;
  const Settle& settle_;
  Limits limits_;
  Place size_;
  Envelope along_y_, along_z_;
  std::vector<Slice> slices_;  ///< with a bit
  std::vector<AskedRow> rows_;
  std::vector<std::uint8_t> questions_;
  std::vector<double> heights_, measured_;
  Index start_ = 0;
  unsigned columns_ = 0;
  double limit_ = 0;  ///< of the squared distances in the block
};

/// Cells of four voxels along each axis that hold a bit.
BitVolume coarsened(const BitVolume& volume) {
  const Place& size = volume.size();
  BitVolume out({size[0] / coarse + 1, size[1] / coarse + 1, size[2] / coarse + 1});
  for (Index z = 0; z < size[2]; ++z)
    for (Index y = 0; y < size[1]; ++y)
      for (Index w = 0; w < volume.words(); ++w)
        for (std::uint64_t bits = volume.row(y, z)[w]; bits != 0;) {
          const Index x = (64 * w + std::countr_zero(bits)) / coarse;
          out.set(x, y / coarse, z / coarse);
          bits &= ~(std::uint64_t{0xf} << (coarse * x - 64 * w));
        }
  return out;
}

void transform(const BitVolume& asked, const SearchTarget& target, const Settle& settle,
               const Limits& limits) {
  BlockTransform blocks(asked, target, settle, limits);
  for (Index start = 0; start < asked.size()[0]; start += block) blocks.run(start);
}

/// Two bits of cells that lie so far apart lie at most a cell's diagonal farther.
Limits limits_of(const BitVolume& asked, const SearchTarget& target) {
  const BitVolume cells = coarsened(asked), bits = coarsened(target.bits);
  Squares squares;
  double diagonal = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double one = target.squares[axis][1];
    diagonal += one * (coarse - 1) * (coarse - 1);
    for (Index steps = 0; steps <= bits.size()[axis]; ++steps)
      squares[axis].push_back(one * static_cast<double>(coarse * coarse * steps * steps));
  }
  Limits out(asked.size(), 0);
  const FilledRows filled(bits);
  transform(
      cells, {bits, filled, squares},
      [&](const Voxel& cell, double found) {
        const double most = std::sqrt(found) + std::sqrt(diagonal);
        double& limit = out.at(coarse * cell.x, coarse * cell.y);
        limit = std::max(limit, most * most * (1 + 1e-9));
      },
      Limits(cells.size(), infinite));
  return out;
}

}  // namespace

void transform_distances(const BitVolume& asked, const SearchTarget& target, const Settle& settle) {
  transform(asked, target, settle, limits_of(asked, target));
}

}  // namespace assay
