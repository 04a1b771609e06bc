// SPDX-License-Identifier: Apache-2.0
// The surface of a mask is made of the faces between voxels inside and outside (Podobnik and
// Vrtovec 2024). The distance of a point to that surface needs no mesh. A point outside the solid
// is as far from the surface as from the solid, and a point inside as far as from the background.
// Both are sets of voxels, that is, of boxes. The distance to a box is a sum over the axes,
//
//   d2 = sum over the axes of max(0, |q - c| - s / 2)2
//
// so rows of the volume can be searched in the same way as for border voxels, with other tables: in
// order of distance across the rows, and within a row for the nearest bit on either side. For the
// same reason distant elements can be left to the separable transform.
//
// The centre of an element touches two voxels, the ones that its face lies between. If `to` holds
// one of them, the face is part of its surface too and the distance 0; words settle that for 64
// voxels at once. If it holds both, the point is inside, else outside.
#include "assay/metrics/boundary/faces.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "assay/metrics/boundary/distance_transform.hpp"
#include "assay/metrics/boundary/nearest_bit.hpp"

namespace assay::metrics {
namespace {

constexpr double face_rounding = 1e-12;
constexpr double no_face = std::numeric_limits<double>::infinity();
constexpr Index reach = 18;  ///< steps across rows; elements farther away are put off
/// How many rows searches may read, per voxel of the volume.
constexpr std::int64_t face_rows_per_voxel = 3;

/// Where an element's centre lies: steps from the centre of its voxel, in voxels.
using Offset = Point;

/// One element of every face across an axis, seen from the voxel before the face.
struct Element {
  Offset offset{};
  double weight = 0;
};

/// Two triangles of a face in space, the face itself in a plane.
std::vector<Element> elements(std::size_t axis, const Axes& axes, const Point& spacing_mm) {
  Offset middle{};
  middle[axis] = 0.5;
  double area = 1;
  std::vector<std::size_t> across;
  for (std::size_t other = 0; other < 3; ++other)
    if (other != axis && axes[other]) {
      area *= spacing_mm[other];
      across.push_back(other);
    }
  if (across.size() < 2) return {{middle, area}};
  // The diagonal is VTK's; a triangle's centre lies a third away from two sides of the square.
  constexpr double third = 1.0 / 6;
  Offset one = middle, other = middle;
  one[across[0]] = one[across[1]] = third;
  other[across[1]] = other[across[0]] = -third;
  return {{one, area / 2}, {other, area / 2}};
}

struct RowStep {
  Index y = 0, z = 0;
  double squared = 0;
};

/// Voxels of one side of a surface.
struct Side {
  const BitVolume& set;
  const FilledRows& filled;
  const Squares& squares;
};

/// Distances of elements of one kind to the nearest voxel of a set.
class ElementSearch {
 public:
  ElementSearch(const Side& side, const Element& element, const Point& spacing_mm)
      : side_(side),
        size_(side.set.size()),
        weight_(element.weight),
        costs_{StepCost(size_[0], element.offset[0], spacing_mm[0]),
               StepCost(size_[1], element.offset[1], spacing_mm[1]),
               StepCost(size_[2], element.offset[2], spacing_mm[2])},
        put_off_(size_) {
    order_rows();
  }

  /// Subtracts the rows that it reads from `allowance`.
  void search(const Place& from, std::int64_t& allowance, DistanceTally& tally) {
    if (allowance > 0)
      if (const auto found = squared(from, allowance)) return tally.add(*found, weight_);
    put_off_.set(from[0], from[1], from[2]);
    any_put_off_ = true;
  }

  void settle_put_off(DistanceTally& tally) const {
    if (!any_put_off_) return;
    transform_distances(
        put_off_, {side_.set, side_.filled, side_.squares}, costs_,
        [&](const SettledVoxels& settled) {
          settled.for_each([&](const Voxel&, double found) { tally.add(found, weight_); });
        });
  }

 private:
  /// Nothing when the nearest voxel is farther than the rows reach.
  std::optional<double> squared(const Place& from, std::int64_t& allowance) const {
    double best = no_face;
    std::size_t i = 0;
    for (; i < rows_.size() && rows_[i].squared <= best * (1 + face_rounding); ++i) {
      const Index y = from[1] + rows_[i].y, z = from[2] + rows_[i].z;
      if (y < 0 || z < 0 || y >= size_[1] || z >= size_[2] || !side_.filled.at(y, z)) continue;
      best = std::min(best, in_row(from[0], y, z, rows_[i]));
    }
    allowance -= static_cast<std::int64_t>(i);
    return i < rows_.size() || reaches_all_ ? std::optional(best) : std::nullopt;
  }

  /// Summed in the order of the axes, as the transform does.
  double in_row(Index x, Index y, Index z, const RowStep& step) const {
    const std::uint64_t* row = side_.set.row(y, z);
    const Index up = steps_up(row, side_.set.words(), x, size_[0]);
    const Index down = steps_down(row, x, size_[0]);
    return std::min(up < size_[0] ? costs_[0](up) : no_face,
                    down < size_[0] ? costs_[0](-down) : no_face) +
           costs_[1](step.y) + costs_[2](step.z);
  }

  /// All rows at most `reach` steps away along both axes, up to the distance at which they are
  /// complete.
  void order_rows() {
    const Index most_y = std::min(reach, size_[1] - 1), most_z = std::min(reach, size_[2] - 1);
    const auto beyond = [](const StepCost& cost, Index most, Index size) {
      return most + 1 < size ? std::min(cost(most + 1), cost(-most - 1)) : no_face;
    };
    const double complete =
        std::min(beyond(costs_[1], most_y, size_[1]), beyond(costs_[2], most_z, size_[2]));
    for (Index z = -most_z; z <= most_z; ++z)
      for (Index y = -most_y; y <= most_y; ++y)
        if (const double d = costs_[1](y) + costs_[2](z); d <= complete) rows_.push_back({y, z, d});
    std::ranges::stable_sort(rows_, {}, &RowStep::squared);
    reaches_all_ = complete == no_face;
  }

  Side side_;
  Place size_;
  double weight_;
  StepCosts costs_;
  BitVolume put_off_;
  bool any_put_off_ = false, reaches_all_ = false;
  std::vector<RowStep> rows_;
};

/// The bits of the voxel after each voxel of a word along an axis.
std::uint64_t behind(const BitVolume& volume, std::size_t axis, Index w, Index y, Index z) {
  if (axis == 0) return shifted(volume.row(y, z), volume.words(), w, 1);
  return volume.row(axis == 1 ? y + 1 : y, axis == 2 ? z + 1 : z)[w];
}

class FaceDistances {
 public:
  FaceDistances(const BitVolume& to, const BitVolume& from, const Axes& axes,
                const Point& spacing_mm)
      : to_(to),
        from_(from),
        background_(background(to, axes)),
        filled_(to),
        background_filled_(background_),
        squares_(squares_mm2(to.size(), spacing_mm)),
        axes_(axes),
        spacing_mm_(spacing_mm),
        allowance_(face_rows_per_voxel * to.size()[0] * to.size()[1] * to.size()[2]) {}

  DistanceTally found() {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (axes_[axis]) measure(axis);
    return std::move(tally_);
  }

 private:
  void measure(std::size_t axis) {
    std::vector<ElementSearch> outside, inside;
    double weight = 0;
    for (const Element& part : elements(axis, axes_, spacing_mm_)) {
      outside.emplace_back(Side{to_, filled_, squares_}, part, spacing_mm_);
      inside.emplace_back(Side{background_, background_filled_, squares_}, part, spacing_mm_);
      weight += part.weight;
    }
    const Place& size = from_.size();
    for (Index z = axis == 2 ? 0 : 1; z + 1 < size[2]; ++z)
      for (Index y = axis == 1 ? 0 : 1; y + 1 < size[1]; ++y)
        for (Index w = 0; w < from_.words(); ++w) {
          const std::uint64_t faces = from_.row(y, z)[w] ^ behind(from_, axis, w, y, z);
          if (faces == 0) continue;
          const std::uint64_t here = to_.row(y, z)[w], there = behind(to_, axis, w, y, z);
          tally_.add(0, weight * std::popcount(faces & (here ^ there)));
          search(faces & here & there, {64 * w, y, z}, inside);
          search(faces & ~here & ~there, {64 * w, y, z}, outside);
        }
    for (const auto* searches : {&outside, &inside})
      for (const ElementSearch& one : *searches) one.settle_put_off(tally_);
  }

  void search(std::uint64_t faces, const Place& first, std::vector<ElementSearch>& searches) {
    for (; faces != 0; faces &= faces - 1)
      for (ElementSearch& one : searches)
        one.search({first[0] + std::countr_zero(faces), first[1], first[2]}, allowance_, tally_);
  }

  const BitVolume &to_, &from_;
  BitVolume background_;
  FilledRows filled_, background_filled_;
  Squares squares_;
  Axes axes_;
  Point spacing_mm_;
  std::int64_t allowance_;  ///< rows that searches may still look at
  DistanceTally tally_;
};

}  // namespace

DistanceTally face_distances(const BitVolume& to, const BitVolume& from, const Axes& axes,
                             const Point& spacing_mm) {
  return FaceDistances(to, from, axes, spacing_mm).found();
}

}  // namespace assay::metrics
