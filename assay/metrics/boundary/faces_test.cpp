// SPDX-License-Identifier: Apache-2.0
/// Faces far apart, where the transform takes over; near ones are tested in
/// boundary_metrics_test.cpp.
#include "assay/metrics/boundary/faces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "assay/metrics/volumes_for_test.hpp"

namespace faces_test {

using namespace assay;
using namespace assay::metrics;
using namespace assay::test;

constexpr Axes in_space = {true, true, true};

/// The squared distance of a point, in voxels, to the nearest voxel of a set as a box.
double to_boxes(const Point& q, const std::vector<Place>& boxes, const Point& spacing) {
  double best = std::numeric_limits<double>::infinity();
  for (const Place& box : boxes) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double apart = std::abs(q[k] - static_cast<double>(box[k])) - 0.5;
      const double length = std::max(0.0, apart) * spacing[k];
      sum += length * length;
    }
    best = std::min(best, sum);
  }
  return best;
}

/// Weights by distance, rounded to 1e-6 mm2, by the definition: every triangle, every voxel.
std::map<std::int64_t, double> slow_tally(const BitVolume& to, const BitVolume& from,
                                          const Point& spacing) {
  const auto solid = places(to), hollow = places(background(to, in_space));
  std::map<std::int64_t, double> out;
  for (const Place& voxel : places(from))
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const Index step : {-1, 1}) {
        Place beside = voxel;
        beside[axis] += step;
        if (from.at(beside[0], beside[1], beside[2])) continue;
        const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
        for (const double third : {-1.0 / 6, 1.0 / 6}) {
          Point q = {static_cast<double>(voxel[0]), static_cast<double>(voxel[1]),
                     static_cast<double>(voxel[2])};
          q[axis] += 0.5 * static_cast<double>(step);
          q[a] += third;
          q[b] += third;
          const double outside = to_boxes(q, solid, spacing);
          const double squared = outside > 0 ? outside : to_boxes(q, hollow, spacing);
          out[std::llround(1e6 * squared)] += spacing[a] * spacing[b] / 2;
        }
      }
  return out;
}

void expect_slow_tally(const BitVolume& to, const BitVolume& from, const Point& spacing) {
  std::map<std::int64_t, double> found;
  for (const auto& entry : face_distances(to, from, in_space, spacing).sorted())
    found[std::llround(1e6 * entry.squared)] += entry.weight;
  const auto expected = slow_tally(to, from, spacing);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [distance, weight] : expected)
    EXPECT_NEAR(found[distance], weight, 1e-9 * weight) << distance;
}

TEST(Faces, far_apart_equal_the_definition) {
  std::mt19937_64 rng(21);
  for (const Point spacing : {Point{1, 1, 1}, Point{0.7, 0.7, 3}, Point{2, 0.5, 1}}) {
    BitVolume a({62, 50, 47}), b(a.size());
    for (int i = 0; i < 40; ++i) {
      a.set(1 + static_cast<Index>(rng() % 30), 1 + static_cast<Index>(rng() % 6),
            1 + static_cast<Index>(rng() % 6));
      b.set(31 + static_cast<Index>(rng() % 30), 40 + static_cast<Index>(rng() % 9),
            30 + static_cast<Index>(rng() % 16));
    }
    expect_slow_tally(b, a, spacing);
    expect_slow_tally(a, b, spacing);
  }
}

TEST(Faces, deep_inside_equal_the_definition) {
  BitVolume solid({45, 44, 43}), core(solid.size());
  for (Index z = 1; z < 42; ++z)
    for (Index y = 1; y < 43; ++y)
      for (Index x = 1; x < 44; ++x) solid.set(x, y, z);
  core.set(22, 21, 20);
  core.set(23, 21, 20);
  expect_slow_tally(solid, core, {1, 1, 1.5});
  const auto found = face_distances(core, solid, in_space, {1, 1, 1}).sorted();
  EXPECT_EQ(found.front().squared, 19 * 19);  // from the side that the core is nearest to
}

}  // namespace faces_test
