// SPDX-License-Identifier: Apache-2.0
/// Where voxels are in space.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace assay {

using Shape = std::array<std::size_t, 3>;
using Point = std::array<double, 3>;
using Affine = std::array<std::array<double, 4>, 3>;  ///< voxel index to millimetres, RAS+

inline constexpr Affine identity_affine = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/// A grid in scanner space: voxel counts, and the affine from voxel index to millimetres (RAS+).
/// Any combination of fields is a valid value; readers refuse singular affines.
struct Grid {
  Shape shape{};
  Affine affine = identity_affine;
  bool in_space = true;  ///< false: the affine only says how the axes are stored, as of an array
  /// Axes that the image has, of one voxel or more. A picture does not have a third axis, a slice
  /// does.
  std::array<bool, 3> has_axis = {true, true, true};

  std::size_t size() const { return shape[0] * shape[1] * shape[2]; }
  bool operator==(const Grid&) const = default;
};

/// Millimetres between neighbours along each axis.
Point spacing_mm(const Grid& grid);

/// Volume of one voxel in millilitres: the determinant, so oblique grids are right too.
double voxel_ml(const Grid& grid);

/// From one corner of the image to the opposite one, whole voxels included: no two points are
/// farther apart.
double diagonal_mm(const Grid& grid);

/// Which way the axes run, as three letters ("RAS", "LIA"): each axis by its largest component.
std::string orientation(const Grid& grid);

/// Position of a voxel index in millimetres.
Point position_mm(const Grid& grid, const Point& index);

/// The largest distance that a corner voxel moves between two grids; infinity when shapes differ.
double greatest_corner_shift_mm(const Grid& a, const Grid& b);

/// How to walk a stored volume so that its axes run as another grid's do.
struct AxisMap {
  std::array<std::size_t, 3> source = {0, 1, 2};  ///< axis k of the result is axis source[k]
  std::array<bool, 3> flipped = {};               ///< whether result axis k runs backwards

  bool is_identity() const { return *this == AxisMap{}; }
  bool operator==(const AxisMap&) const = default;
};

/// The flips and permutation that bring the axes of `from` closest to those of `to`.
AxisMap axis_map(const Grid& from, const Grid& to);

/// The grid of a volume that is walked by `map`.
Grid reoriented(const Grid& grid, const AxisMap& map);

/// "256x256x64, 1x1x3 mm, LPS, origin (-90, 126, -72)": for messages that show a grid to people.
std::string describe(const Grid& grid);

}  // namespace assay
