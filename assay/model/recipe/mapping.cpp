// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/model/recipe/grids.hpp"

namespace assay::model {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
/// Affines come out of files in single precision: so far beyond the edge is still on it.
constexpr double edge_slack = 1e-4;
constexpr double half_slack = 1e-6;
/// Off an axis by less than this at the far end of the grid: along it.
constexpr double oblique_slack = 1e-4;

std::vector<double> index_positions(const IndexAxis& axis) {
  std::vector<double> out(axis.target, nothing);
  for (std::size_t k = 0; k < axis.target; ++k) {
    const std::ptrdiff_t r = static_cast<std::ptrdiff_t>(k) + axis.first();
    if (r < 0 || r >= static_cast<std::ptrdiff_t>(axis.resampled)) continue;
    const double position = static_cast<double>(r) * axis.step();
    // Rounding can carry the last voxel beyond the edge, where SciPy finds nothing.
    if (position <= static_cast<double>(axis.native - 1)) out[k] = position;
  }
  return out;
}

std::vector<double> index_positions_back(const IndexAxis& axis) {
  std::vector<double> out(axis.native, nothing);
  const double last = static_cast<double>(axis.resampled - 1);
  for (std::size_t k = 0; k < axis.native; ++k) {
    const double exact = axis.native == 1
                             ? last / 2
                             : static_cast<double>(k) * last / static_cast<double>(axis.native - 1);
    const double position = std::floor(exact + 0.5) - static_cast<double>(axis.first());
    if (position >= 0 && position < static_cast<double>(axis.target)) out[k] = position;
  }
  return out;
}

Affine inverse(const Affine& a) {
  const auto minor = [&](std::size_t i, std::size_t j) {
    const std::size_t r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return a[r][c] * a[s][d] - a[r][d] * a[s][c];
  };
  const double determinant = a[0][0] * minor(0, 0) + a[0][1] * minor(0, 1) + a[0][2] * minor(0, 2);
  Affine out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out[i][j] = minor(j, i) / determinant;
    out[i][3] = -(out[i][0] * a[0][3] + out[i][1] * a[1][3] + out[i][2] * a[2][3]);
  }
  return out;
}

/// Index in `from` to index in `to`.
Affine between(const Grid& from, const Grid& to) {
  const Grid back = {.affine = inverse(to.affine)};
  Affine out{};
  const Point origin = position_mm(back, position_mm(from, {0, 0, 0}));
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      for (std::size_t k = 0; k < 3; ++k)
        out[row][column] += back.affine[row][k] * from.affine[k][column];
    out[row][3] = origin[row];
  }
  return out;
}

bool is_oblique(const Affine& map, const Shape& shape) {
  for (std::size_t row = 0; row < 3; ++row) {
    double off_axis = 0;
    for (std::size_t column = 0; column < 3; ++column)
      if (row != column)
        off_axis += std::abs(map[row][column]) * static_cast<double>(shape[column]);
    if (off_axis > oblique_slack) return true;
  }
  return false;
}

Mapping space_mapping(const Grid& target, const Grid& source, double reach) {
  Mapping out = {.source = source.shape, .target = target, .reach = reach};
  const Affine map = between(target, source);
  if (is_oblique(map, target.shape)) {
    out.oblique = map;
    return out;
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t k = 0; k < target.shape[axis]; ++k)
      out.positions[axis].push_back(reached(map[axis][axis] * static_cast<double>(k) + map[axis][3],
                                            source.shape[axis], reach));
  return out;
}

bool by_index(const Recipe& recipe) {
  return recipe.grid == GridRule::native || recipe.grid == GridRule::zoom;
}

}  // namespace

double reached(double position, std::size_t size, double reach) {
  const double last = static_cast<double>(size - 1);
  // Between voxels, rounding must not decide which is nearest.
  const double halves = std::round(2 * position) / 2;
  if (std::abs(position - halves) < half_slack) position = halves;
  if (!(position >= -reach && position <= last + reach)) return nothing;
  return std::clamp(position, 0.0, last);
}

Mapping to_model(const Grid& oriented, const Grid& model, const Recipe& recipe) {
  if (!by_index(recipe)) return space_mapping(model, oriented, edge_slack);
  Mapping out = {.source = oriented.shape, .target = model};
  for (std::size_t axis = 0; axis < 3; ++axis)
    out.positions[axis] = index_positions(index_axis(oriented, axis, model.shape, recipe));
  return out;
}

Mapping to_native(const Grid& oriented, const Grid& model, const Recipe& recipe) {
  constexpr double half_a_voxel = 0.5;
  if (!by_index(recipe)) return space_mapping(oriented, model, half_a_voxel);
  Mapping out = {.source = model.shape, .target = oriented};
  for (std::size_t axis = 0; axis < 3; ++axis)
    out.positions[axis] = index_positions_back(index_axis(oriented, axis, model.shape, recipe));
  return out;
}

}  // namespace assay::model
