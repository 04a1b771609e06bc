// SPDX-License-Identifier: Apache-2.0
// The squared Euclidean distance is a sum over the axes, so the nearest bit can be found axis by
// axis (Meijster, Roerdink and Hesselink 2000; Felzenszwalb and Huttenlocher 2012):
//
//   d2(x, y, z) = min over z' of (z - z')2 + min over y' of (y - y')2 + min over x' of (x - x')2
//
// The innermost minimum is the nearest bit of one row, which counting zeros gives without a table.
// The other two are lower envelopes of parabolas: one per row of a slice, then one per slice. An
// envelope is built in one sweep with a stack, since each new parabola hides a run of the last
// ones, and is read off in another.
//
// Two things keep it small. Rows and slices without a bit have no parabola. And columns are taken
// eight at a time, one cache line of doubles: the heights of a block, 8 x rows x slices, stay in
// the cache, and only rows and columns in which a distance is asked for are evaluated.
//
// On grids whose squared spacings are whole numbers every step is exact. On others an intersection
// is rounded, so of two parabolas that cross at a voxel to 1e-12 the other one may be taken; the
// distance itself is always that of a bit, summed as everywhere else.
#include "assay/metrics/distance_transform.hpp"

#include <numeric>

namespace assay {
namespace {

constexpr Index block = 8;

/// The lower envelope of parabolas with one curvature.
class Envelope {
 public:
  explicit Envelope(const std::vector<double>& squares) : squares_(squares) {}

  void clear() { top_ = 0; }

  void push(Index place, double height) {
    const auto p = static_cast<double>(place);
    const double lifted = height + squares_[1] * p * p;
    double from = -1;
    while (top_ > 0) {
      const Parabola& last = stack_[top_ - 1];
      from = (lifted - last.lifted) / (2 * squares_[1] * (p - last.p));
      if (from > last.from) break;
      --top_;
      from = -1;
    }
    if (top_ == stack_.size()) stack_.emplace_back();
    stack_[top_++] = {place, p, height, lifted, from};
  }

  bool empty() const { return top_ == 0; }

  /// Goes back to the first place.
  void rewind() { at_ = 0; }

  /// The least value at a place; places must not go back.
  double value(Index place) {
    while (at_ + 1 < top_ && stack_[at_ + 1].from < static_cast<double>(place)) ++at_;
    const Parabola& best = stack_[at_];
    const Index steps = place < best.place ? best.place - place : place - best.place;
    return best.height + squares_[static_cast<std::size_t>(steps)];
  }

 private:
  struct Parabola {
    Index place = 0;
    double p = 0, height = 0, lifted = 0;
    double from = 0;  ///< where it becomes the lowest; -1: everywhere before its successors
  };

  const std::vector<double>& squares_;
  std::vector<Parabola> stack_;
  std::size_t top_ = 0, at_ = 0;
};

/// The voxels of eight columns, by y, x, z: as their distances are read off.
using Order = std::span<const std::uint32_t>;

class BlockTransform {
 public:
  BlockTransform(std::span<const Voxel> voxels, const SearchTarget& target)
      : voxels_(voxels),
        target_(target),
        size_(target.bits.size()),
        along_y_(target.squares[1]),
        along_z_(target.squares[2]) {
    for (Index z = 0; z < size_[2]; ++z)
      for (Index y = 0; y < size_[1]; ++y)
        if (target.filled.at(y, z)) {
          slices_.push_back(z);
          break;
        }
    heights_.resize(slices_.size() * static_cast<std::size_t>(stride()));
  }

  void run(Order order, std::span<double> into) {
    find_columns(order);
    for (std::size_t s = 0; s < slices_.size(); ++s) fill_slice(s);
    for (std::size_t first = 0; first < order.size();) {
      std::size_t last = first;
      const Voxel& column = voxels_[order[first]];
      while (last < order.size() && voxels_[order[last]].x == column.x &&
             voxels_[order[last]].y == column.y)
        ++last;
      read_column(order.subspan(first, last - first), into);
      first = last;
    }
  }

 private:
  /// One line more than needed: lines at a power of two would share a set of the cache.
  Index stride() const { return (size_[1] + 1) * block; }
  double* height(std::size_t slice, Index y) {
    return heights_.data() + static_cast<Index>(slice) * stride() + y * block;
  }

  void find_columns(Order order) {
    columns_ = 0;
    rows_.clear();
    start_ = voxels_[order.front()].x / block * block;
    for (const std::uint32_t i : order) {
      columns_ |= 1U << static_cast<unsigned>(voxels_[i].x - start_);
      if (rows_.empty() || rows_.back() != voxels_[i].y) rows_.push_back(voxels_[i].y);
    }
  }

  void fill_slice(std::size_t slice) {
    const Index z = slices_[slice];
    for (Index k = 0; k < block; ++k) {
      if ((columns_ >> k & 1) == 0) continue;
      along_y_.clear();
      for (Index y = 0; y < size_[1]; ++y)
        if (target_.filled.at(y, z)) {
          const std::uint64_t* row = target_.bits.row(y, z);
          const Index steps = nearest_bit(row, target_.bits.words(), start_ + k, size_[0]);
          along_y_.push(y, target_.squares[0][static_cast<std::size_t>(steps)]);
        }
      along_y_.rewind();
      for (const Index y : rows_) height(slice, y)[k] = along_y_.value(y);
    }
  }

  void read_column(Order order, std::span<double> into) {
    const Voxel& column = voxels_[order.front()];
    along_z_.clear();
    for (std::size_t s = 0; s < slices_.size(); ++s)
      along_z_.push(slices_[s], height(s, column.y)[column.x - start_]);
    along_z_.rewind();
    for (const std::uint32_t i : order) into[i] = along_z_.value(voxels_[i].z);
  }

  std::span<const Voxel> voxels_;
  const SearchTarget& target_;
  Place size_;
  Envelope along_y_, along_z_;
  std::vector<Index> slices_, rows_;  ///< slices with a bit; rows with a question
  std::vector<double> heights_;
  Index start_ = 0;
  unsigned columns_ = 0;
};

}  // namespace

std::vector<double> transformed_distances(std::span<const Voxel> voxels,
                                          const SearchTarget& target) {
  std::vector<std::uint32_t> order(voxels.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) {
    const Voxel& v = voxels[i];
    return std::array{static_cast<std::int32_t>(v.x / block), v.y, v.x, v.z};
  };
  std::ranges::sort(order, {}, key);

  std::vector<double> out(voxels.size());
  BlockTransform transform(voxels, target);
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && voxels[order[last]].x / block == voxels[order[first]].x / block)
      ++last;
    transform.run(Order(order).subspan(first, last - first), out);
    first = last;
  }
  return out;
}

}  // namespace assay
