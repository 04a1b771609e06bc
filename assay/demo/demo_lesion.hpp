// SPDX-License-Identifier: Apache-2.0
/// Synthetic lesions: smooth bodies in a head, and how observers draw their borders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "assay/volume.hpp"

namespace assay::demo {

/// The generator of Steele, Lea and Flood (2014). Distributions of the standard library differ
/// between implementations; these few lines give the same numbers everywhere.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// In [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11U) * 0x1p-53);
  }
  /// Less than `bound`. The bias is small because `bound` is.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

/// A smooth random function with values in [-1, 1]: random numbers on a lattice, blended between.
class SmoothNoise {
 public:
  /// `cell` is the distance between lattice points. The function is defined on [-2, 2] along each
  /// axis and constant beyond.
  SmoothNoise(SplitMix64& random, double cell);
  double operator()(const Point& at) const;

 private:
  double per_unit_;
  std::size_t points_;  ///< along one axis
  std::vector<float> values_;
};

/// Half axes of the ellipsoid in which lesions are placed.
inline constexpr Point head_mm = {72, 90, 68};

/// How one observer sees a border. Numbers are fractions of the lesion's radius, so that a small
/// lesion is drawn as carefully as a large one.
struct Edge {
  double shift = 0;   ///< outwards
  double jitter = 0;  ///< greatest deviation from the shifted border
  SmoothNoise noise;
};

/// The unit ball, dented by noise, then stretched, turned and moved.
struct Lesion {
  std::array<Point, 3> to_unit{};  ///< rows; millimetres from the centre to unit coordinates
  Point centre_mm{};
  double reach_mm = 0;  ///< no part of it, however drawn, is further from the centre
  double volume_ml = 0;
  SmoothNoise coarse, fine;
};

/// A lesion of that volume at the origin, to be moved to its place.
Lesion random_lesion(SplitMix64& random, double volume_ml);

/// A place in the head where a body of that radius fits, or nearly fits.
Point random_place(SplitMix64& random, double radius_mm);

/// The radius of a ball of that volume.
double ball_radius_mm(double volume_ml);

/// Takes a voxel and its depth in the lesion, in units of the lesion's radius; negative outside.
using DepthObserver = std::function<void(std::size_t voxel, double depth)>;

/// Calls `see` for each voxel of the head that may lie at least `from_depth` deep in the lesion as
/// drawn with `edge`. The grid's axes must be parallel to those of space.
void observe(const Lesion& lesion, const Edge& edge, const Grid& grid, double from_depth,
             const DepthObserver& see);

/// Sets the voxels inside the lesion to 1.
void draw(const Lesion& lesion, const Edge& edge, Volume<std::uint8_t>& mask);

}  // namespace assay::demo
