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
// On grids whose squared spacings are whole numbers every step is exact. On others a product is
// rounded, so of two parabolas that cross at a voxel to 1e-12 the other one may be taken; the
// distance itself is always that of a bit, summed as everywhere else.
#include "assay/metrics/distance_transform.hpp"

#include <algorithm>

namespace assay {
namespace {

constexpr Index block = 8;

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

class BlockTransform {
 public:
  BlockTransform(const BitVolume& asked, const SearchTarget& target, const Settle& settle)
      : asked_(asked),
        target_(target),
        settle_(settle),
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
        if ((row.columns >> k & 1) != 0) read_column(row.y, k);
  }

 private:
  struct Slice {
    Index z = 0;
    std::vector<Index> rows;  ///< with a bit
  };
  struct AskedRow {
    Index y = 0;
    unsigned columns = 0;
  };

  /// One line more than needed: lines at a power of two would share a set of the cache.
  Index stride() const { return (size_[1] + 1) * block; }
  double* height(std::size_t slice, Index y) {
    return heights_.data() + static_cast<Index>(slice) * stride() + y * block;
  }

  /// Which of the eight voxels of a row are asked for.
  unsigned asked_at(Index y, Index z) const {
    return static_cast<unsigned>(asked_.row(y, z)[start_ / 64] >> (start_ % 64) & 0xff);
  }

  void find_asked() {
    columns_ = 0;
    rows_.clear();
    for (Index y = 0; y < size_[1]; ++y) {
      unsigned columns = 0;
      for (Index z = 0; z < size_[2]; ++z) columns |= asked_at(y, z);
      if (columns != 0) rows_.push_back({y, columns});
      columns_ |= columns;
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
        along_y_.push(slice.rows[i], measured_[i * block + static_cast<std::size_t>(k)]);
      for (const AskedRow& row : rows_) height(s, row.y)[k] = along_y_.value(row.y);
    }
  }

  void read_column(Index y, Index k) {
    along_z_.clear();
    for (std::size_t s = 0; s < slices_.size(); ++s) along_z_.push(slices_[s].z, height(s, y)[k]);
    for (Index z = 0; z < size_[2]; ++z)
      if ((asked_at(y, z) >> k & 1) != 0)
        settle_({static_cast<std::int32_t>(start_ + k), static_cast<std::int32_t>(y),
                 static_cast<std::int32_t>(z)},
                along_z_.value(z));
  }

  const BitVolume& asked_;
  const SearchTarget& target_;
  const Settle& settle_;
  Place size_;
  Envelope along_y_, along_z_;
  std::vector<Slice> slices_;  ///< with a bit
  std::vector<AskedRow> rows_;
  std::vector<double> heights_, measured_;
  Index start_ = 0;
  unsigned columns_ = 0;
};

}  // namespace

void transform_distances(const BitVolume& asked, const SearchTarget& target, const Settle& settle) {
  BlockTransform transform(asked, target, settle);
  for (Index start = 0; start < asked.size()[0]; start += block) transform.run(start);
}

}  // namespace assay
