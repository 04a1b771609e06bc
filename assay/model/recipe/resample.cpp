// SPDX-License-Identifier: Apache-2.0
// SciPy adds eight products for each voxel, ((v wx) wy) wz, x slowest and z fastest. Along a row of
// the target y and z do not change, so each of the eight terms is a whole row. The rows v wx are
// computed once for each row of the source and kept while y moves on. A term whose weight is 0 is
// left out, which changes no sum of finite numbers. Target planes that lie between the same two
// planes of the source are done together, row by row. Rows run through vector registers, while the
// order of the sum, and with it every bit, stays SciPy's.
#include "assay/model/recipe/resample.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "assay/model/recipe/grids.hpp"

namespace assay::model {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
/// Affines come out of files in single precision, so a position this far beyond the edge still
/// counts as on it.
constexpr double edge_slack = 1e-4;
constexpr double half_slack = 1e-6;
/// Axes that are off by less than this at the far end of the grid count as parallel.
constexpr double oblique_slack = 1e-4;

std::vector<double> index_positions(const IndexAxis& axis) {
  std::vector<double> out(axis.target, nothing);
  for (std::size_t k = 0; k < axis.target; ++k) {
    const std::ptrdiff_t r = static_cast<std::ptrdiff_t>(k) + axis.first();
    if (r < 0 || r >= static_cast<std::ptrdiff_t>(axis.resampled)) continue;
    const double position = static_cast<double>(r) * axis.step();
    // Rounding can carry the last voxel beyond the edge, where SciPy finds no value.
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

}  // namespace

Affine index_map(const Grid& from, const Grid& to) {
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

namespace {

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
  const Affine map = index_map(target, source);
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
  // Positions halfway between voxels are made exact, so that rounding does not decide which voxel
  // is nearest.
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

namespace {

/// The two neighbours of a position and their weights; both weights are 0 outside the source.
struct Neighbours {
  std::array<std::size_t, 2> index{};
  std::array<double, 2> weight{};

  bool empty() const { return weight[0] == 0 && weight[1] == 0; }
};

Neighbours neighbours(double position, std::size_t size) {
  if (std::isnan(position)) return {};
  const double low = std::floor(position);
  const auto index = static_cast<std::size_t>(low);
  const double first = 1 - (position - low);  // weights as SciPy rounds them
  return {{index, std::min(index + 1, size - 1)}, {first, 1 - first}};
}

std::vector<Neighbours> neighbours(const Mapping& mapping, std::size_t axis) {
  std::vector<Neighbours> out;
  out.reserve(mapping.positions[axis].size());
  for (const double position : mapping.positions[axis])
    out.push_back(neighbours(position, mapping.source[axis]));
  return out;
}

/// Rows of two neighbouring planes of the source, weighted along x: side 0 by the lower neighbour,
/// side 1 by the upper.
class WeightedRows {
 public:
  WeightedRows(View<float> source, const std::vector<Neighbours>& x) : source_(source), x_(x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      sides_ = x[i].weight[1] != 0 ? 2 : sides_;
      is_copy_ = is_copy_ && x[i].weight[0] == 1 && x[i].index[0] == x[0].index[0] + i;
    }
    for (Slot& slot : slots_)
      for (auto& side : slot.sides) side.resize(x.size());
  }

  std::size_t sides() const { return sides_; }

  /// Of two neighbouring rows or planes one is even and one is odd, so four slots hold all that a
  /// target row needs.
  const double* row(std::size_t side, std::size_t y, std::size_t z) {
    Slot& slot = slots_[2 * (z % 2) + y % 2];
    if (!slot.filled || slot.y != y || slot.z != z) fill(slot, y, z);
    return slot.sides[side].data();
  }

 private:
  struct Slot {
    bool filled = false;
    std::size_t y = 0, z = 0;
    std::array<std::vector<double>, 2> sides{};
  };

  void fill(Slot& slot, std::size_t y, std::size_t z) {
    const float* from = &source_(0, y, z);
    if (is_copy_)
      std::copy_n(from + x_[0].index[0], x_.size(), slot.sides[0].begin());
    else
      for (std::size_t side = 0; side < sides_; ++side)
        for (std::size_t i = 0; i < x_.size(); ++i)
          slot.sides[side][i] = static_cast<double>(from[x_[i].index[side]]) * x_[i].weight[side];
    slot.filled = true;
    slot.y = y;
    slot.z = z;
  }

  View<float> source_;
  const std::vector<Neighbours>& x_;
  std::size_t sides_ = 1;
  bool is_copy_ = true;
  std::array<Slot, 4> slots_{};
};

/// A weighted row of the source, and its weights along y and z.
struct Term {
  const double* row = nullptr;
  double y = 0, z = 0;
};

struct Terms {
  std::array<Term, 8> all{};
  std::size_t count = 0;
};

Terms terms_of(WeightedRows& rows, const Neighbours& y, const Neighbours& z) {
  Terms out;
  for (std::size_t side = 0; side < rows.sides(); ++side)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 2; ++k)
        if (y.weight[j] != 0 && z.weight[k] != 0)
          out.all[out.count++] = {rows.row(side, y.index[j], z.index[k]), y.weight[j], z.weight[k]};
  return out;
}

template <std::size_t count>
void write_sums(const std::array<Term, 8>& terms, std::span<float> to) {
  const std::array<Term, 8> local =
      terms;  // a copy, so that the compiler knows that `to` does not overlap it
  for (std::size_t i = 0; i < to.size(); ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < count; ++t) sum += local[t].row[i] * local[t].y * local[t].z;
    to[i] = static_cast<float>(sum);
  }
}

/// There are one or two neighbours along each axis, hence 1, 2, 4 or 8 terms.
void write_sums(const Terms& terms, std::span<float> to) {
  using Write = void (*)(const std::array<Term, 8>&, std::span<float>);
  constexpr std::array<Write, 4> by_size = {write_sums<1>, write_sums<2>, write_sums<4>,
                                            write_sums<8>};
  by_size[static_cast<std::size_t>(std::countr_zero(terms.count))](terms.all, to);
}

/// Planes first to last - 1 of the target that lie between the same two of the source.
struct Planes {
  std::size_t first = 0, last = 0;
};

std::vector<Planes> shared_planes(const std::vector<Neighbours>& z) {
  std::vector<Planes> out;
  for (std::size_t plane = 0; plane < z.size(); ++plane) {
    if (z[plane].empty()) continue;
    const bool goes_on =
        !out.empty() && out.back().last == plane && z[plane].index[0] == z[plane - 1].index[0];
    if (!goes_on) out.push_back({plane, plane});
    out.back().last = plane + 1;
  }
  return out;
}

Volume<float> along_axes(View<float> source, const Mapping& mapping, const Executor& executor) {
  const auto x = neighbours(mapping, 0), y = neighbours(mapping, 1), z = neighbours(mapping, 2);
  Volume<float> out(mapping.target);
  const std::span<float> voxels = out.voxels();
  const std::vector<Planes> runs = shared_planes(z);
  run_tasks(executor, runs.size(), [&](std::size_t run) {
    WeightedRows rows(source, x);
    for (std::size_t line = 0; line < y.size(); ++line)
      for (std::size_t plane = runs[run].first; plane < runs[run].last; ++plane)
        if (!y[line].empty())
          write_sums(terms_of(rows, y[line], z[plane]),
                     voxels.subspan((plane * y.size() + line) * x.size(), x.size()));
  });
  return out;
}

/// Calls `voxel(index, place)` for every voxel of an oblique target that lies in the source.
template <class Use>
void walk_oblique(const Mapping& mapping, const Executor& executor, const Use& voxel) {
  const Shape& shape = mapping.target.shape;
  const Grid map = {.shape = shape, .affine = *mapping.oblique};
  run_tasks(executor, shape[2], [&](std::size_t z) {
    std::size_t index = z * shape[0] * shape[1];
    for (std::size_t y = 0; y < shape[1]; ++y)
      for (std::size_t x = 0; x < shape[0]; ++x, ++index) {
        Point place = position_mm(
            map, {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        for (std::size_t axis = 0; axis < 3; ++axis)
          place[axis] = reached(place[axis], mapping.source[axis], mapping.reach);
        if (!std::isnan(place[0] + place[1] + place[2])) voxel(index, place);
      }
  });
}

float between(View<float> source, const std::array<Neighbours, 3>& n) {
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 2; ++k)
        sum += static_cast<double>(source(n[0].index[i], n[1].index[j], n[2].index[k])) *
               n[0].weight[i] * n[1].weight[j] * n[2].weight[k];
  return static_cast<float>(sum);
}

std::size_t nearest(double position) {
  return static_cast<std::size_t>(std::floor(position + 0.5));
}

}  // namespace

Volume<float> resampled(View<float> source, const Mapping& mapping, const Executor& executor) {
  if (!mapping.oblique) return along_axes(source, mapping, executor);
  Volume<float> out(mapping.target);
  const std::span<float> voxels = out.voxels();
  walk_oblique(mapping, executor, [&](std::size_t index, const Point& place) {
    voxels[index] = between(
        source, {neighbours(place[0], mapping.source[0]), neighbours(place[1], mapping.source[1]),
                 neighbours(place[2], mapping.source[2])});
  });
  return out;
}

Volume<std::uint8_t> resampled(View<std::uint8_t> source, const Mapping& mapping,
                               const Executor& executor) {
  Volume<std::uint8_t> out(mapping.target);
  const std::span<std::uint8_t> voxels = out.voxels();
  if (mapping.oblique) {
    walk_oblique(mapping, executor, [&](std::size_t index, const Point& place) {
      voxels[index] = source(nearest(place[0]), nearest(place[1]), nearest(place[2]));
    });
    return out;
  }
  const auto &xs = mapping.positions[0], &ys = mapping.positions[1], &zs = mapping.positions[2];
  run_tasks(executor, zs.size(), [&](std::size_t plane) {
    if (std::isnan(zs[plane])) return;
    for (std::size_t line = 0; line < ys.size(); ++line) {
      if (std::isnan(ys[line])) continue;
      std::uint8_t* to = voxels.data() + (plane * ys.size() + line) * xs.size();
      const std::uint8_t* from = &source(0, nearest(ys[line]), nearest(zs[plane]));
      for (std::size_t i = 0; i < xs.size(); ++i)
        if (!std::isnan(xs[i])) to[i] = from[nearest(xs[i])];
    }
  });
  return out;
}

}  // namespace assay::model
