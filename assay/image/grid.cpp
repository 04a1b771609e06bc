// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "assay/volume.hpp"

namespace assay {
namespace {

Point column(const Affine& a, std::size_t axis) {
  return {a[0][axis], a[1][axis], a[2][axis]};
}

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double length(const Point& a) {
  return std::sqrt(dot(a, a));
}

/// Cosine of the angle between axis `i` of `a` and axis `j` of `b`.
double alignment(const Grid& a, std::size_t i, const Grid& b, std::size_t j) {
  const Point u = column(a.affine, i), v = column(b.affine, j);
  return dot(u, v) / (length(u) * length(v));
}

std::string number(double x) {
  return fmt::format("{:.6g}", x == 0 ? 0.0 : x);  // never "-0"
}

}  // namespace

Point spacing_mm(const Grid& grid) {
  return {length(column(grid.affine, 0)), length(column(grid.affine, 1)),
          length(column(grid.affine, 2))};
}

double voxel_ml(const Grid& grid) {
  const Point u = column(grid.affine, 0), v = column(grid.affine, 1), w = column(grid.affine, 2);
  const Point cross = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
  return std::abs(dot(cross, w)) / 1000;
}

double known_voxel_ml(const Grid& grid) {
  const bool has_thickness = grid.in_space || std::ranges::all_of(grid.has_axis, std::identity{});
  return grid.has_size && has_thickness ? voxel_ml(grid) : 0;
}

double diagonal_mm(const Grid& grid) {
  double squared = 0;
  const Point mm = spacing_mm(grid);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!grid.in_space && !grid.has_axis[axis]) continue;  // a picture is flat
    const double side = static_cast<double>(grid.shape[axis]) * mm[axis];
    squared += side * side;
  }
  return std::sqrt(squared);
}

std::string orientation(const Grid& grid) {
  constexpr const char* names[3] = {"LR", "PA", "IS"};
  const AxisMap map = axis_map(Grid{.shape = {1, 1, 1}, .affine = identity_affine}, grid);
  std::string letters;
  for (std::size_t axis = 0; axis < 3; ++axis)
    letters += names[map.source[axis]][map.flipped[axis] ? 0 : 1];
  return letters;
}

Point position_mm(const Grid& grid, const Point& index) {
  Point out{};
  for (std::size_t row = 0; row < 3; ++row) {
    const auto& a = grid.affine[row];
    out[row] = a[0] * index[0] + a[1] * index[1] + a[2] * index[2] + a[3];
  }
  return out;
}

double greatest_corner_shift_mm(const Grid& a, const Grid& b) {
  if (a.shape != b.shape) return std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    Point index{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      index[axis] = (corner >> axis & 1U) != 0 ? static_cast<double>(a.shape[axis]) - 1 : 0;
    const Point p = position_mm(a, index), q = position_mm(b, index);
    const double shift = length({p[0] - q[0], p[1] - q[1], p[2] - q[2]});
    // NaN must never count as "aligned".
    greatest =
        std::isnan(shift) ? std::numeric_limits<double>::infinity() : std::max(greatest, shift);
  }
  return greatest;
}

AxisMap axis_map(const Grid& from, const Grid& to) {
  // Greedy by the best-aligned remaining pair. This is right for every grid whose axes are nearer
  // to one axis of the other than to the rest, which holds up to shears far beyond those of any
  // scanner.
  AxisMap map;
  std::array<bool, 3> used{}, placed{};
  for (int round = 0; round < 3; ++round) {
    double best = -1;
    std::size_t best_source = 0, best_target = 0;
    for (std::size_t source = 0; source < 3; ++source)
      for (std::size_t target = 0; target < 3; ++target) {
        if (used[source] || placed[target]) continue;
        const double cosine = std::abs(alignment(from, source, to, target));
        if (cosine > best || best < 0) {
          best = cosine;
          best_source = source;
          best_target = target;
        }
      }
    used[best_source] = placed[best_target] = true;
    map.source[best_target] = best_source;
    map.flipped[best_target] = alignment(from, best_source, to, best_target) < 0;
  }
  return map;
}

Grid reoriented(const Grid& grid, const AxisMap& map) {
  Grid out;
  out.in_space = grid.in_space;
  out.has_size = grid.has_size;
  Point first{};  // the stored index that becomes voxel (0, 0, 0)
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t source = map.source[axis];
    out.shape[axis] = grid.shape[source];
    out.has_axis[axis] = grid.has_axis[source];
    if (map.flipped[axis]) first[source] = static_cast<double>(grid.shape[source]) - 1;
  }
  const Point origin = position_mm(grid, first);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double step = grid.affine[row][map.source[axis]];
      out.affine[row][axis] = map.flipped[axis] ? -step : step;
    }
    out.affine[row][3] = origin[row];
  }
  return out;
}

std::string describe(const Grid& grid) {
  const Point mm = spacing_mm(grid), origin = position_mm(grid, {0, 0, 0});
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += (axis != 0 ? "x" : "") + std::to_string(grid.shape[axis]);
  if (!grid.in_space) return text + " voxels without a position in space";
  text += " voxels of ";
  for (std::size_t axis = 0; axis < 3; ++axis) text += (axis != 0 ? "x" : "") + number(mm[axis]);
  text += " mm, " + orientation(grid) + ", origin (";
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += (axis != 0 ? ", " : "") + number(origin[axis]);
  return text + ")";
}

}  // namespace assay
