// SPDX-License-Identifier: Apache-2.0
// A lesion is where a continuous field is positive: one minus the distance from the centre, in
// units of the radius, plus smooth noise. Observers see the same field, shifted and with noise of
// their own. So their masks differ as those of people and networks do, along the border and in
// patches, never by single voxels. Everything is computed in the coordinates of the unit ball.
// There a volume is measured once and then scaled to the requested one.
#include "assay/demo/demo_lesion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::demo {
namespace {

constexpr double noise_reach = 2;  ///< unit coordinates where noise is defined
constexpr double coarse_dent = 0.32, fine_dent = 0.10, coarse_cell = 0.8, fine_cell = 0.35;
constexpr double reach = 1 + coarse_dent + fine_dent + 0.45;  ///< room for shift and jitter

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double norm(const Point& a) {
  return std::sqrt(dot(a, a));
}

bool in_head(const Point& mm) {
  const Point scaled = {mm[0] / head_mm[0], mm[1] / head_mm[1], mm[2] / head_mm[2]};
  return dot(scaled, scaled) < 1;
}

/// A point of the unit ball, by rejection. Trigonometry is avoided, because its last digit varies
/// between libraries.
Point in_unit_ball(SplitMix64& random) {
  Point p;
  do {
    for (double& x : p) x = random.uniform(-1, 1);
  } while (dot(p, p) >= 1);
  return p;
}

Point direction(SplitMix64& random) {
  Point p = in_unit_ball(random);
  const double length = std::max(norm(p), 1e-9);
  for (double& x : p) x /= length;
  return p;
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Three perpendicular unit vectors.
std::array<Point, 3> random_axes(SplitMix64& random) {
  const Point a = direction(random);
  Point b;
  do b = cross(a, direction(random));
  while (norm(b) < 0.1);
  const double length = norm(b);
  for (double& x : b) x /= length;
  return {a, b, cross(a, b)};
}

/// How deep a point in unit coordinates lies inside; negative outside.
double depth(const Lesion& lesion, const Point& unit) {
  return 1 - norm(unit) + coarse_dent * lesion.coarse(unit) + fine_dent * lesion.fine(unit);
}

/// Volume in unit coordinates, by sampling.
double unit_volume(const Lesion& lesion) {
  constexpr int samples = 48;
  constexpr double extent = 1 + coarse_dent + fine_dent, step = 2 * extent / samples;
  const auto at = [](int i) { return -extent + (i + 0.5) * step; };
  int inside = 0;
  for (int z = 0; z < samples; ++z)
    for (int y = 0; y < samples; ++y)
      for (int x = 0; x < samples; ++x) inside += depth(lesion, {at(x), at(y), at(z)}) > 0 ? 1 : 0;
  return inside * step * step * step;
}

/// The indices [first, last) along an axis that a body can touch.
struct Extent {
  std::size_t first, last;
};

Extent extent_along(const Grid& grid, std::size_t axis, const Lesion& lesion) {
  const double step = grid.affine[axis][axis], origin = grid.affine[axis][3];
  const auto count = static_cast<double>(grid.shape[axis]);
  const double low = (lesion.centre_mm[axis] - lesion.reach_mm - origin) / step;
  const double high = (lesion.centre_mm[axis] + lesion.reach_mm - origin) / step;
  return {static_cast<std::size_t>(std::clamp(std::floor(low), 0.0, count)),
          static_cast<std::size_t>(std::clamp(std::ceil(high) + 1, 0.0, count))};
}

}  // namespace

SmoothNoise::SmoothNoise(SplitMix64& random, double cell)
    : per_unit_(1 / cell),
      points_(static_cast<std::size_t>(std::ceil(2 * noise_reach / cell)) + 2),
      values_(points_ * points_ * points_) {
  for (float& value : values_) value = static_cast<float>(random.uniform(-1, 1));
}

double SmoothNoise::operator()(const Point& at) const {
  std::array<std::size_t, 3> cell{};
  Point weight{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double x = (std::clamp(at[axis], -noise_reach, noise_reach) + noise_reach) * per_unit_;
    cell[axis] = static_cast<std::size_t>(x);
    const double t = x - static_cast<double>(cell[axis]);
    weight[axis] = t * t * (3 - 2 * t);  // no crease at lattice points
  }
  const float* corner = values_.data() + cell[0] + points_ * (cell[1] + points_ * cell[2]);
  const auto along_x = [&](std::size_t offset) {
    const double a = corner[offset], b = corner[offset + 1];
    return a + weight[0] * (b - a);
  };
  const auto along_y = [&](std::size_t offset) {
    const double a = along_x(offset), b = along_x(offset + points_);
    return a + weight[1] * (b - a);
  };
  const double a = along_y(0), b = along_y(points_ * points_);
  return a + weight[2] * (b - a);
}

Lesion random_lesion(SplitMix64& random, double volume_ml) {
  Lesion lesion = {.volume_ml = volume_ml,
                   .coarse = SmoothNoise(random, coarse_cell),
                   .fine = SmoothNoise(random, fine_cell)};
  Point stretch = {random.uniform(0.75, 1.3), random.uniform(0.75, 1.3), random.uniform(0.75, 1.3)};
  const double mm3_per_unit = volume_ml * 1000 / unit_volume(lesion);
  const double scale = std::cbrt(mm3_per_unit / (stretch[0] * stretch[1] * stretch[2]));
  for (double& half_axis : stretch) half_axis *= scale;
  lesion.to_unit = random_axes(random);
  for (std::size_t row = 0; row < 3; ++row)
    for (double& x : lesion.to_unit[row]) x /= stretch[row];
  lesion.reach_mm = reach * *std::ranges::max_element(stretch);
  return lesion;
}

Point random_place(SplitMix64& random, double radius_mm) {
  Point place = in_unit_ball(random);
  for (std::size_t axis = 0; axis < 3; ++axis)
    place[axis] *= std::max(head_mm[axis] - 1.3 * radius_mm, 2.0);
  return place;
}

double ball_radius_mm(double volume_ml) {
  return std::cbrt(volume_ml * 1000 * 3 / (4 * std::numbers::pi));
}

void observe(const Lesion& lesion, const Edge& edge, const Grid& grid, double from_depth,
             const DepthObserver& see) {
  const auto [x_first, x_last] = extent_along(grid, 0, lesion);
  const auto [y_first, y_last] = extent_along(grid, 1, lesion);
  const auto [z_first, z_last] = extent_along(grid, 2, lesion);
  const double farthest = 1 + edge.shift + coarse_dent + fine_dent + edge.jitter - from_depth;
  const auto look = [&](const Point& mm, std::size_t voxel) {
    const Point from_centre = {mm[0] - lesion.centre_mm[0], mm[1] - lesion.centre_mm[1],
                               mm[2] - lesion.centre_mm[2]};
    const auto& rows = lesion.to_unit;
    const Point unit = {dot(rows[0], from_centre), dot(rows[1], from_centre),
                        dot(rows[2], from_centre)};
    if (norm(unit) > farthest || !in_head(mm)) return;  // too far away for noise to matter
    see(voxel, depth(lesion, unit) + edge.shift + edge.jitter * edge.noise(unit));
  };
  for (std::size_t z = z_first; z < z_last; ++z)
    for (std::size_t y = y_first; y < y_last; ++y) {
      const std::size_t row = grid.shape[0] * (y + grid.shape[1] * z);
      Point mm = position_mm(grid, {0, static_cast<double>(y), static_cast<double>(z)});
      for (std::size_t x = x_first; x < x_last; ++x) {
        mm[0] = grid.affine[0][3] + grid.affine[0][0] * static_cast<double>(x);
        look(mm, row + x);
      }
    }
}

void draw(const Lesion& lesion, const Edge& edge, Volume<std::uint8_t>& mask) {
  observe(lesion, edge, mask.grid(), 0, [&](std::size_t voxel, double depth) {
    if (depth > 0) mask.voxels()[voxel] = 1;
  });
}

}  // namespace assay::demo
