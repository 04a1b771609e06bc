// SPDX-License-Identifier: Apache-2.0
// Three rules lay a grid over an image. `zoom` works on indices alone: voxel r of m samples an axis
// of n voxels at r (n - 1) / (m - 1), as SciPy computes it, so that the outermost voxels keep their
// places. The other two go through millimetres. All three write the true places of the voxels into
// the model's affine, so that the grid is right about where its labels lie.
#include "assay/model/recipe/grids.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

namespace assay::model {
namespace {

constexpr double most_voxels = 1 << 30;

std::size_t resampled_size(const Grid& oriented, const Recipe& recipe, std::size_t axis) {
  const double size = static_cast<double>(oriented.shape[axis]);
  const double factor = spacing_mm(oriented)[axis] / recipe.spacing_mm[axis];
  const double found = std::nearbyint(size * factor);  // halves to even, as Python rounds
  if (!(found >= 1 && found <= most_voxels))
    throw Error(
        Error::Kind::input,
        fmt::format("an axis of {} voxels of {:.6g} mm would have {:.6g} at {:.6g} mm; check "
                    "the image's spacing, or ask for another spacing_mm",
                    oriented.shape[axis], spacing_mm(oriented)[axis], found,
                    recipe.spacing_mm[axis]));
  return static_cast<std::size_t>(found);
}

Shape resampled_shape(const Grid& oriented, const Recipe& recipe) {
  if (recipe.grid == GridRule::native) return oriented.shape;
  Shape out{};
  for (std::size_t axis = 0; axis < 3; ++axis) out[axis] = resampled_size(oriented, recipe, axis);
  return out;
}

void require_room(const Shape& shape, const Grid& native) {
  double voxels = 1;
  for (const std::size_t size : shape) voxels *= static_cast<double>(size);
  if (voxels > most_voxels)
    throw Error(Error::Kind::input,
                fmt::format("the image ({}) would have {}x{}x{} voxels, which is too many; give "
                            "the recipe a shape or a larger spacing_mm",
                            describe(native), shape[0], shape[1], shape[2]));
}

/// A grid along the scanner's axes in the order of the letters, with steps of 1 mm.
Grid lettered(const std::string& letters) {
  constexpr std::array<std::string_view, 3> ends = {"LR", "PA", "IS"};
  Grid out = {.shape = {1, 1, 1}, .affine = {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t row = 0; row < 3; ++row)
      if (const auto end = ends[row].find(letters[axis]); end != std::string_view::npos)
        out.affine[row][axis] = end == 0 ? -1 : 1;
  return out;
}

/// The grid with its origin moved so that index `here` lies at `place`.
Grid anchored(Grid grid, const Point& here, const Point& place) {
  for (std::size_t row = 0; row < 3; ++row) grid.affine[row][3] = 0;
  const Point now = position_mm(grid, here);
  for (std::size_t row = 0; row < 3; ++row) grid.affine[row][3] = place[row] - now[row];
  return grid;
}

using PerAxis = std::function<double(std::size_t axis)>;

Grid scaled(Grid grid, const PerAxis& factor) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t row = 0; row < 3; ++row) grid.affine[row][axis] *= factor(axis);
  return grid;
}

Point point(const PerAxis& coordinate) {
  return {coordinate(0), coordinate(1), coordinate(2)};
}

/// What a grid is laid over, and how large it becomes.
struct Laid {
  const Grid& native;
  const Grid& oriented;
  Shape shape;
};

Grid index_grid(const Laid& laid, const Recipe& recipe) {
  const Grid& oriented = laid.oriented;
  const Shape& shape = laid.shape;
  const auto step = [&](std::size_t axis) {
    const IndexAxis a = index_axis(oriented, axis, shape, recipe);
    // A single voxel has no corners to keep. Its copies divide its thickness among them.
    if (a.native == 1) return 1 / static_cast<double>(a.resampled);
    return a.resampled == 1 ? static_cast<double>(a.native) : a.step();
  };
  const auto corner = [&](std::size_t axis) {
    const IndexAxis a = index_axis(oriented, axis, shape, recipe);
    const double inset = a.native == 1 ? static_cast<double>(a.resampled - 1) / 2 : 0;
    return inset - static_cast<double>(a.first());
  };
  Grid out = scaled(oriented, step);
  out.shape = shape;
  return anchored(out, point(corner), position_mm(oriented, {0, 0, 0}));
}

Grid field_of_view_grid(const Laid& laid, const Recipe& recipe) {
  const Grid& oriented = laid.oriented;
  const Point spacing = spacing_mm(oriented);
  const auto centre = [](const Shape& s) {
    return point([&](std::size_t axis) {
      const std::size_t lower =
          (s[axis] - 1) / 2;  // the lower one of the two in the middle, if there are two
      return static_cast<double>(lower);
    });
  };
  Grid out =
      scaled(oriented, [&](std::size_t axis) { return recipe.spacing_mm[axis] / spacing[axis]; });
  out.shape = laid.shape;
  return anchored(out, centre(laid.shape), position_mm(oriented, centre(oriented.shape)));
}

/// Uses the middle of the image as stored, because n / 2 is another place when an axis runs
/// backwards.
Grid conform_grid(const Laid& laid, const Recipe& recipe) {
  const auto middle = [](const Shape& s) {
    return point([&](std::size_t axis) { return static_cast<double>(s[axis]) / 2; });
  };
  const std::string letters =
      recipe.orientation.empty() ? orientation(laid.oriented) : recipe.orientation;
  Grid out = scaled(lettered(letters), [&](std::size_t axis) { return recipe.spacing_mm[axis]; });
  out.shape = laid.shape;
  return anchored(out, middle(laid.shape), position_mm(laid.native, middle(laid.native.shape)));
}

using GridMaker = Grid (*)(const Laid& laid, const Recipe& recipe);
constexpr GridMaker grid_makers[] = {index_grid, index_grid, field_of_view_grid, conform_grid};

}  // namespace

// Both differences are halved and rounded down, so an odd voxel is cut or added at the end.
std::ptrdiff_t IndexAxis::first() const {
  const auto half = [](std::size_t a, std::size_t b) {
    return static_cast<std::ptrdiff_t>((a - b) / 2);
  };
  return resampled > target ? half(resampled, target) : -half(target, resampled);
}

IndexAxis index_axis(const Grid& oriented, std::size_t axis, const Shape& target,
                     const Recipe& recipe) {
  const bool native = recipe.grid == GridRule::native;
  return {oriented.shape[axis],
          native ? oriented.shape[axis] : resampled_size(oriented, recipe, axis), target[axis]};
}

AxisMap orienting(const Grid& native, const Recipe& recipe) {
  if (recipe.orientation.empty()) return {};
  return axis_map(native, lettered(recipe.orientation));
}

Grid model_grid(const Grid& native, const Recipe& recipe) {
  require_valid(recipe);
  if (native.size() == 0) throw Error(Error::Kind::input, "the image has no voxels");
  const Grid oriented = reoriented(native, orienting(native, recipe));
  const Shape shape = recipe.shape ? *recipe.shape : resampled_shape(oriented, recipe);
  require_room(shape, native);
  if (shape == oriented.shape && recipe.grid == GridRule::native) return oriented;
  return grid_makers[static_cast<std::size_t>(recipe.grid)]({native, oriented, shape}, recipe);
}

}  // namespace assay::model
