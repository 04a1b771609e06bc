// SPDX-License-Identifier: Apache-2.0
// The surface of a mask is made of the faces between voxels inside and outside (Podobnik and
// Vrtovec 2024). The distance of a point to that surface needs no mesh: a point outside the solid
// is as far from the surface as from the solid, one inside as far as from the background, and both
// are sets of voxels, that is of boxes. The distance to a box is a sum over the axes,
//
//   d2 = sum over the axes of max(0, |q - c| - s / 2)2
//
// so the rows of the volume can be searched as they are for border voxels, only with other tables:
// by growing distance across the rows, and in a row the nearest bit on either side.
//
// The centre of an element touches two voxels, the ones that its face lies between. If `to` holds
// one of them, the face is part of its surface too and the distance 0; words settle that for 64
// voxels at once. If it holds both, the point is inside, else outside.
#include "assay/metrics/faces.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "assay/metrics/nearest_bit.hpp"

namespace assay {
namespace {

constexpr double rounding = 1e-12;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Where an element's centre lies: steps from the centre of its voxel, in voxels.
using Offset = Point;

/// Squared distances along one axis to a voxel so many steps away, for a point off the centre.
class AxisCost {
 public:
  AxisCost(Index size, double offset, double spacing_mm) : size_(size) {
    for (Index step = -size; step <= size; ++step) {
      const double apart = std::abs(static_cast<double>(step) - offset) - 0.5;
      const double length = std::max(0.0, apart) * spacing_mm;
      costs_.push_back(length * length);
    }
  }
  double operator()(Index step) const { return costs_[static_cast<std::size_t>(step + size_)]; }

 private:
  Index size_;
  std::vector<double> costs_;
};

struct RowStep {
  Index y = 0, z = 0;
  double squared = 0;
};

/// The nearest voxel of a set to a point.
class BoxSearch {
 public:
  BoxSearch(const BitVolume& set, const FilledRows& filled, const Offset& offset,
            const Point& spacing_mm)
      : set_(set),
        filled_(filled),
        size_(set.size()),
        along_x_(size_[0], offset[0], spacing_mm[0]),
        along_y_(size_[1], offset[1], spacing_mm[1]),
        along_z_(size_[2], offset[2], spacing_mm[2]) {
    order_rows(16);
  }

  double squared(Index x, Index y, Index z) {
    double best = infinite;
    for (std::size_t i = 0;; ++i) {
      if (i == rows_.size()) {
        if (reach_ >= std::max(size_[1], size_[2])) return best;
        order_rows(4 * reach_);
        return squared(x, y, z);
      }
      if (rows_[i].squared > best * (1 + rounding)) return best;
      const Index at_y = y + rows_[i].y, at_z = z + rows_[i].z;
      if (at_y < 0 || at_z < 0 || at_y >= size_[1] || at_z >= size_[2]) continue;
      if (filled_.at(at_y, at_z)) best = std::min(best, in_row(x, at_y, at_z) + rows_[i].squared);
    }
  }

 private:
  double in_row(Index x, Index y, Index z) const {
    const std::uint64_t* row = set_.row(y, z);
    const Index up = steps_up(row, set_.words(), x, size_[0]);
    const Index down = steps_down(row, x, size_[0]);
    return std::min(up < size_[0] ? along_x_(up) : infinite,
                    down < size_[0] ? along_x_(-down) : infinite);
  }

  /// All rows at most `reach` steps away along both axes, but only as far as they are complete.
  void order_rows(Index reach) {
    reach_ = reach;
    rows_.clear();
    const Index most_y = std::min(reach, size_[1] - 1), most_z = std::min(reach, size_[2] - 1);
    const auto beyond = [](const AxisCost& cost, Index most, Index size) {
      return most + 1 < size ? std::min(cost(most + 1), cost(-most - 1)) : infinite;
    };
    const double complete =
        std::min(beyond(along_y_, most_y, size_[1]), beyond(along_z_, most_z, size_[2]));
    for (Index z = -most_z; z <= most_z; ++z)
      for (Index y = -most_y; y <= most_y; ++y)
        if (const double d = along_y_(y) + along_z_(z); d <= complete) rows_.push_back({y, z, d});
    std::ranges::stable_sort(rows_, {}, &RowStep::squared);
  }

  const BitVolume& set_;
  const FilledRows& filled_;
  Place size_;
  AxisCost along_x_, along_y_, along_z_;
  std::vector<RowStep> rows_;
  Index reach_ = 0;
};

/// A face looks along an axis, forwards or backwards.
struct Direction {
  std::size_t axis = 0;
  Index step = 1;
};

/// One element of every face that looks in a direction.
struct Element {
  Offset offset{};
  double weight = 0;
};

/// Two triangles of a face in space, the face itself in a plane.
std::vector<Element> elements(const Direction& direction, const Axes& axes,
                              const Point& spacing_mm) {
  Offset middle{};
  middle[direction.axis] = 0.5 * static_cast<double>(direction.step);
  double area = 1;
  std::vector<std::size_t> across;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (axis != direction.axis && axes[axis]) {
      area *= spacing_mm[axis];
      across.push_back(axis);
    }
  if (across.size() < 2) return {{middle, area}};
  // The diagonal is VTK's; a triangle's centre lies a third away from two sides of the square.
  constexpr double third = 1.0 / 6;
  Offset one = middle, other = middle;
  one[across[0]] = one[across[1]] = third;
  other[across[1]] = other[across[0]] = -third;
  return {{one, area / 2}, {other, area / 2}};
}

class FaceDistances {
 public:
  FaceDistances(const BitVolume& to, const BitVolume& from, const Axes& axes,
                const Point& spacing_mm)
      : to_(to),
        from_(from),
        outside_(background(to, axes)),
        filled_(to),
        outside_filled_(outside_),
        axes_(axes),
        spacing_mm_(spacing_mm) {}

  DistanceTally found() {
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const Index step : {-1, 1})
        if (axes_[axis]) measure({axis, step});
    return std::move(tally_);
  }

 private:
  /// Bits of the voxel next to each of a word.
  static std::uint64_t beside(const BitVolume& volume, const Direction& d, Index w, Index y,
                              Index z) {
    if (d.axis == 0) return shifted(volume.row(y, z), volume.words(), w, d.step);
    return volume.row(d.axis == 1 ? y + d.step : y, d.axis == 2 ? z + d.step : z)[w];
  }

  void measure(const Direction& direction) {
    const std::vector<Element> parts = elements(direction, axes_, spacing_mm_);
    std::vector<BoxSearch> from_outside, from_inside;
    for (const Element& part : parts) {
      from_outside.emplace_back(to_, filled_, part.offset, spacing_mm_);
      from_inside.emplace_back(outside_, outside_filled_, part.offset, spacing_mm_);
    }
    for (Index z = 1; z + 1 < from_.size()[2]; ++z)
      for (Index y = 1; y + 1 < from_.size()[1]; ++y)
        for (Index w = 0; w < from_.words(); ++w) {
          const std::uint64_t faces = from_.row(y, z)[w] & ~beside(from_, direction, w, y, z);
          if (faces == 0) continue;
          const std::uint64_t here = to_.row(y, z)[w], there = beside(to_, direction, w, y, z);
          const Place first = {64 * w, y, z};
          for (const Element& part : parts)
            tally_.add(0, part.weight * std::popcount(faces & (here ^ there)));
          search(faces & here & there, first, parts, from_inside);
          search(faces & ~here & ~there, first, parts, from_outside);
        }
  }

  void search(std::uint64_t faces, const Place& first, const std::vector<Element>& parts,
              std::vector<BoxSearch>& searches) {
    for (; faces != 0; faces &= faces - 1)
      for (std::size_t i = 0; i < parts.size(); ++i)
        tally_.add(searches[i].squared(first[0] + std::countr_zero(faces), first[1], first[2]),
                   parts[i].weight);
  }

  const BitVolume &to_, &from_;
  BitVolume outside_;
  FilledRows filled_, outside_filled_;
  Axes axes_;
  Point spacing_mm_;
  DistanceTally tally_;
};

}  // namespace

DistanceTally face_distances(const BitVolume& to, const BitVolume& from, const Axes& axes,
                             const Point& spacing_mm) {
  return FaceDistances(to, from, axes, spacing_mm).found();
}

}  // namespace assay
