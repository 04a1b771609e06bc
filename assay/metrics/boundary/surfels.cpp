// SPDX-License-Identifier: Apache-2.0
// Up to eight voxels meet at a corner of the grid. Marching cubes (Lorensen and Cline 1987) puts
// the surface between those inside and those outside through the middles of the edges that join
// them. Only its area matters here, and that follows from the shape of the smaller side, which
// falls into pieces of voxels that share faces; each piece has its own triangles. There are six
// pieces up to rotation. The area vectors of their triangles, in units of the voxel's faces across
// each axis, are:
//
//   a voxel          (1 1 1)/8
//   two              along axis a: twice 1/4 across both other axes
//   three, bent      in a plane across a: (1 1 1)/8, (1 1 1)/4, and 1/2 across a
//   four, a square   in a plane across a: twice 1/2 across a
//   four, a tripod   twice (1 1 1)/8, twice (1 1 1)/4
//   four, a screw    middle edge along a: (1 1 1)/8, 3 (1 1 1)/8, and for each other axis b
//                    1/4 across a and b
//
// In a plane, four pixels meet: one is cut off by half a diagonal, two in a row by a side.
#include "assay/metrics/boundary/surfels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::metrics {
namespace {

/// Corners of a cube as the bits of a byte: i + 2 j + 4 k.
using Corners = unsigned;

/// The area of a triangle whose area vector is given in units of a voxel's faces.
struct Triangles {
  Point face_mm2;  ///< across each axis

  double area(const Point& vector) const {
    const double x = vector[0] * face_mm2[0], y = vector[1] * face_mm2[1];
    const double z = vector[2] * face_mm2[2];
    return std::sqrt(x * x + y * y + z * z);
  }
  double even(double each) const { return area({each, each, each}); }
  double across(std::size_t axis, double length) const {
    Point vector{};
    vector[axis] = length;
    return area(vector);
  }
  double across_two(std::size_t a, std::size_t b, double length) const {
    Point vector{};
    vector[a] = vector[b] = length;
    return area(vector);
  }
};

/// How many edges between corners of the piece run along each axis.
std::array<int, 3> edges(Corners piece) {
  std::array<int, 3> out{};
  for (unsigned corner = 0; corner < 8; ++corner)
    for (unsigned axis = 0; axis < 3; ++axis)
      if ((corner >> axis & 1) == 0 && (piece >> corner & 1) != 0 &&
          (piece >> (corner | 1U << axis) & 1) != 0)
        ++out[axis];
  return out;
}

std::size_t position(const std::array<int, 3>& counts, int wanted) {
  return static_cast<std::size_t>(std::ranges::find(counts, wanted) - counts.begin());
}

double pair_area(const std::array<int, 3>& along, const Triangles& t) {
  const std::size_t a = position(along, 1);
  return 2 * t.across_two((a + 1) % 3, (a + 2) % 3, 0.25);
}

double bent_area(const std::array<int, 3>& along, const Triangles& t) {
  return t.across(position(along, 0), 0.5) + t.even(0.25) + t.even(0.125);
}

/// The middle edge of a screw is the one with a neighbour at both ends.
std::size_t middle_axis(Corners piece) {
  std::size_t out = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    unsigned degrees[8] = {};
    for (unsigned corner = 0; corner < 8; ++corner)
      for (unsigned other = 0; other < 3; ++other)
        if ((piece >> corner & 1) != 0 && (piece >> (corner ^ 1U << other) & 1) != 0)
          ++degrees[corner];
    for (unsigned corner = 0; corner < 8; ++corner)
      if (degrees[corner] == 2 && degrees[corner ^ 1U << axis] == 2) out = axis;
  }
  return out;
}

double screw_area(Corners piece, const Triangles& t) {
  const std::size_t a = middle_axis(piece);
  return t.even(0.125) + t.even(0.375) + t.across_two(a, (a + 1) % 3, 0.25) +
         t.across_two(a, (a + 2) % 3, 0.25);
}

bool is_tripod(Corners piece) {
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Corners arms = 1U << (corner ^ 1U) | 1U << (corner ^ 2U) | 1U << (corner ^ 4U);
    if (piece == (arms | 1U << corner)) return true;
  }
  return false;
}

double area_in_space(Corners piece, const Triangles& t) {
  const std::array<int, 3> along = edges(piece);
  switch (std::popcount(piece)) {
    case 1: return t.even(0.125);
    case 2: return pair_area(along, t);
    case 3: return bent_area(along, t);
    default: break;
  }
  if (std::ranges::count(along, 2) == 2) return 2 * t.across(position(along, 0), 0.5);
  return is_tripod(piece) ? 2 * t.even(0.125) + 2 * t.even(0.25) : screw_area(piece, t);
}

double length_in_plane(Corners piece, const Axes& axes, const Point& spacing_mm) {
  const std::array<int, 3> along = edges(piece);
  if (std::popcount(piece) == 2) return spacing_mm[position(along, 1)];
  double squared = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (axes[axis]) squared += spacing_mm[axis] * spacing_mm[axis];
  return 0.5 * std::sqrt(squared);
}

/// The corners of `set` that can be reached from one of them along edges within it.
Corners piece_of(Corners set, Corners start) {
  for (Corners grown = 0; grown != start;) {
    grown = start;
    for (unsigned corner = 0; corner < 8; ++corner)
      if ((grown >> corner & 1) != 0)
        start |= set & (1U << (corner ^ 1U) | 1U << (corner ^ 2U) | 1U << (corner ^ 4U));
  }
  return start;
}

/// All corners that exist with these axes.
Corners corners_of(const Axes& axes) {
  Corners out = 0;
  for (unsigned corner = 0; corner < 8; ++corner)
    if ((axes[0] || (corner & 1) == 0) && (axes[1] || (corner & 2) == 0) &&
        (axes[2] || (corner & 4) == 0))
      out |= 1U << corner;
  return out;
}

}  // namespace

std::array<double, 256> corner_areas(const Axes& axes, const Point& spacing_mm) {
  const auto dimensions = std::ranges::count(axes, true);
  const Triangles triangles = {{spacing_mm[1] * spacing_mm[2], spacing_mm[0] * spacing_mm[2],
                                spacing_mm[0] * spacing_mm[1]}};
  const Corners all = corners_of(axes);
  std::array<double, 256> out{};
  for (Corners set = 1; set < 256; ++set) {
    if ((set & ~all) != 0 || set == all) continue;
    const bool few = 2 * std::popcount(set) <= std::popcount(all);
    for (Corners rest = few ? set : all & ~set; rest != 0;) {
      const Corners piece = piece_of(rest, rest & -rest);
      rest &= ~piece;
      out[set] += dimensions == 3   ? area_in_space(piece, triangles)
                  : dimensions == 2 ? length_in_plane(piece, axes, spacing_mm)
                                    : 1;
    }
  }
  return out;
}

Surfels::Surfels(const BitVolume& mask, const Axes& axes, const Point& spacing_mm)
    : mask_(mask),
      axes_(axes),
      areas_(corner_areas(axes, spacing_mm)),
      points_({mask.size()[0] + (axes[0] ? 1 : 0), mask.size()[1] + (axes[1] ? 1 : 0),
               mask.size()[2] + (axes[2] ? 1 : 0)}) {
  const Index words = mask.words();
  // A corner has the index of the voxel after it, so it lies between that voxel and the one before.
  for (Index z = 1; z < mask.size()[2]; ++z)
    for (Index y = 1; y < mask.size()[1]; ++y) {
      const Index before_y = axes[1] ? y - 1 : y, before_z = axes[2] ? z - 1 : z;
      const std::uint64_t* rows[] = {mask.row(y, z), mask.row(before_y, z), mask.row(y, before_z),
                                     mask.row(before_y, before_z)};
      std::uint64_t* into = points_.row(y, z);
      for (Index w = 0; w < words; ++w) {
        std::uint64_t any = 0, every = ~std::uint64_t{0};
        for (const std::uint64_t* row : rows) {
          const std::uint64_t before = axes[0] ? shifted(row, words, w, -1) : row[w];
          any |= row[w] | before;
          every &= row[w] & before;
        }
        into[w] = any & ~every;
      }
    }
}

Weight Surfels::weight() const {
  return [this](const Voxel& v) {
    Corners set = 0;
    for (unsigned corner = 0; corner < 8; ++corner) {
      const Index i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
      if ((i == 1 && !axes_[0]) || (j == 1 && !axes_[1]) || (k == 1 && !axes_[2])) continue;
      // Without an axis there is one voxel along it, the corner's own.
      const Index x = axes_[0] ? v.x - 1 + i : v.x, y = axes_[1] ? v.y - 1 + j : v.y;
      const Index z = axes_[2] ? v.z - 1 + k : v.z;
      if (mask_.at(x, y, z)) set |= 1U << corner;
    }
    return areas_[set];
  };
}

}  // namespace assay::metrics
