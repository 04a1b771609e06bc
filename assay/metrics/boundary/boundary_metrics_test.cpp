// SPDX-License-Identifier: Apache-2.0
/// Surfaces of small masks against definitions written out: every pair of elements, no shortcuts.
#include "assay/metrics/boundary/boundary_metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "assay/base/sanitizer_for_test.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/boundary/surfels.hpp"
#include "assay/metrics/volumes_for_test.hpp"

namespace boundary_metrics_test {

using namespace assay;
using namespace assay::metrics;
using namespace assay::test;

/// A point of a surface, in mm, and how much it counts.
struct Dot {
  Point at{};
  double weight = 1;
};

using Surface = std::vector<Dot>;
using Distance = std::function<double(const Point&)>;

void for_each_voxel(const Mask& mask, const std::function<void(Index, Index, Index)>& visit,
                    Index margin = 0) {
  for (Index z = -margin; z < static_cast<Index>(mask.shape[2]) + margin; ++z)
    for (Index y = -margin; y < static_cast<Index>(mask.shape[1]) + margin; ++y)
      for (Index x = -margin; x < static_cast<Index>(mask.shape[0]) + margin; ++x) visit(x, y, z);
}

Point in_mm(double x, double y, double z, const Point& spacing) {
  return {x * spacing[0], y * spacing[1], z * spacing[2]};
}

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Surface border_dots(const Mask& mask, const Point& spacing) {
  Surface out;
  const Axes axes = axes_of(mask.shape);
  for_each_voxel(mask, [&](Index x, Index y, Index z) {
    if (!mask.at(x, y, z)) return;
    bool edge = false;
    for (const Index step : {-1, 1})
      edge = edge || (axes[0] && !mask.at(x + step, y, z)) ||
             (axes[1] && !mask.at(x, y + step, z)) || (axes[2] && !mask.at(x, y, z + step));
    if (edge)
      out.push_back(
          {in_mm(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z), spacing)});
  });
  return out;
}

double nearest(const Point& from, const Surface& to) {
  double best = infinity;
  for (const Dot& dot : to) best = std::min(best, distance(from, dot.at));
  return best;
}

/// Every distance as often as its weight says, sorted.
using Listed = std::vector<std::pair<double, double>>;

Listed listed(const Surface& from, const Distance& to) {
  Listed out;
  for (const Dot& dot : from) out.emplace_back(to(dot.at), dot.weight);
  std::ranges::sort(out);
  return out;
}

double total(const Listed& list) {
  double sum = 0;
  for (const auto& [d, weight] : list) sum += weight;
  return sum;
}

double weighted(const Listed& list) {
  double sum = 0;
  for (const auto& [d, weight] : list) sum += d * weight;
  return sum;
}

double within(const Listed& list, double tolerance) {
  double sum = 0;
  for (const auto& [d, weight] : list)
    if (d <= tolerance + 1e-9) sum += weight;
  return sum;
}

double linear(const Listed& list, double percent) {
  const double place = percent / 100 * static_cast<double>(list.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, list.size() - 1);
  return list[low].first + (place - std::floor(place)) * (list[high].first - list[low].first);
}

Score scored(const SurfaceDistances& found, std::string_view key, std::string_view rules) {
  const Convention& by = convention(rules);
  const ChosenMetric metric = chosen_metrics(key).front();
  const BoundaryRequest request = {{50, 95, 99}, {0, 0.8, 1, 2}};
  const Evidence evidence = {.counts = {.tp = 1, .fp = 1, .fn = 1, .tn = 1},
                             .voxel_ml = 1,
                             .boundary = boundary_evidence(found, by.surface, request)};
  return score(metric, evidence, {}, by);
}

/// Without the axes along which it does not extend.
Grid picture(const Shape& shape, const Point& mm) {
  return {.shape = shape,
          .affine = {{{mm[0], 0, 0, 0}, {0, mm[1], 0, 0}, {0, 0, mm[2], 0}}},
          .has_axis = axes_of(shape)};
}

SurfaceDistances distances(const Mask& p, const Mask& r, const Point& spacing,
                           std::string_view rules = "metrics-reloaded") {
  return surface_distances(*solids_of(p.packed(), r.packed(), picture(p.shape, spacing)),
                           convention(rules).surface);
}

void expect_score(const SurfaceDistances& found, std::string_view key, std::string_view rules,
                  double expected) {
  const auto x = value(scored(found, key, rules));
  ASSERT_TRUE(x) << key;
  EXPECT_NEAR(*x, expected, 1e-9 * (1 + expected)) << key << " by " << rules;
}

void expect_border_metrics(const Mask& p, const Mask& r, const Point& spacing) {
  const Surface ps = border_dots(p, spacing), rs = border_dots(r, spacing);
  const Listed a = listed(ps, [&](const Point& q) { return nearest(q, rs); });
  const Listed b = listed(rs, [&](const Point& q) { return nearest(q, ps); });
  Listed both = a;
  both.insert(both.end(), b.begin(), b.end());
  std::ranges::sort(both);

  const SurfaceDistances found = distances(p, r, spacing);
  const std::string_view mr = "metrics-reloaded";
  expect_score(found, "hd", mr, std::max(a.back().first, b.back().first));
  expect_score(found, "hd95", mr, std::max(linear(a, 95), linear(b, 95)));
  expect_score(found, "hd50", mr, std::max(linear(a, 50), linear(b, 50)));
  expect_score(found, "assd", mr, (weighted(a) + weighted(b)) / (total(a) + total(b)));
  expect_score(found, "masd", mr, (weighted(a) / total(a) + weighted(b) / total(b)) / 2);
  expect_score(found, "nsd", mr, (within(a, 1) + within(b, 1)) / (total(a) + total(b)));
  expect_score(found, "nsd@2mm", mr, (within(a, 2) + within(b, 2)) / (total(a) + total(b)));
  const double common = within(a, 0);
  expect_score(found, "boundary_iou", mr, common / (total(a) + total(b) - common));
  expect_score(found, "nsd@0mm", mr, 2 * common / (total(a) + total(b)));
  expect_score(found, "hd95", "medpy", linear(both, 95));
  expect_score(found, "assd", "panoptica", (weighted(a) / total(a) + weighted(b) / total(b)) / 2);
  expect_score(found, "nsd", "panoptica", (within(a, 1) / total(a) + within(b, 1) / total(b)) / 2);
}

Mask bits_of(unsigned code, const Shape& shape) {
  std::vector<std::uint8_t> voxels(shape[0] * shape[1] * shape[2]);
  for (std::size_t i = 0; i < voxels.size(); ++i) voxels[i] = code >> i & 1;
  return {shape, std::move(voxels)};
}

TEST(Boundary, border_voxels_equal_the_definition_on_all_pairs_of_two_by_two_by_two) {
  constexpr unsigned step = every(13);  // shifted from row to row, so that no bit is left out
  for (unsigned p = 1; p < 256; ++p)
    for (unsigned r = 1 + 5 * p % step; r < 256; r += step)
      expect_border_metrics(bits_of(p, {2, 2, 2}), bits_of(r, {2, 2, 2}), {1, 1.5, 2});
}

TEST(Boundary, border_voxels_equal_the_definition_on_random_masks) {
  std::mt19937_64 rng(21);
  for (int i = 0; i < 4000; i += every(7)) {
    const Shape shape = i % 2 == 0 ? Shape{3, 3, 3} : random_shape(rng, 7);
    const Mask p = random_mask(rng, shape, 0.1 + 0.2 * static_cast<double>(rng() % 5));
    const Mask r = random_mask(rng, shape, 0.1 + 0.2 * static_cast<double>(rng() % 5));
    if (!p.empty() && !r.empty()) expect_border_metrics(p, r, random_spacing(rng));
  }
}

TEST(Boundary, a_search_from_either_side_gives_the_same_symmetric_metrics) {
  std::mt19937_64 rng(22);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = random_shape(rng, 9);
    const Mask p = random_mask(rng, shape, 0.3), r = random_mask(rng, shape, 0.3);
    if (p.empty() || r.empty()) continue;
    const Point spacing = random_spacing(rng);
    for (const char* rules : {"metrics-reloaded", "deepmind", "faces", "medpy", "panoptica"}) {
      const SurfaceDistances one = distances(p, r, spacing, rules),
                             two = distances(r, p, spacing, rules);
      for (const char* key : {"hd", "hd95", "assd", "masd", "nsd", "boundary_iou"})
        EXPECT_EQ(scored(one, key, rules), scored(two, key, rules)) << key << ' ' << rules;
    }
  }
}

/// A square of 5x5 pixels, and the same one pixel further along x.
SurfaceDistances moved_square(bool as_slice, std::string_view rules) {
  const Shape shape = {8, 8, 1};
  std::vector<std::uint8_t> p(64), r(64);
  for (std::size_t y = 1; y < 6; ++y)
    for (std::size_t x = 1; x < 6; ++x) p[x + 8 * y] = r[x + 1 + 8 * y] = 1;
  Grid grid = picture(shape, {1, 1, 1});
  if (as_slice) grid.has_axis = {true, true, true};
  return surface_distances(*solids_of(Mask(shape, p).packed(), Mask(shape, r).packed(), grid),
                           convention(rules).surface);
}

TEST(Boundary, a_slice_is_measured_in_its_plane_except_by_tools_that_erode_it_in_space) {
  // In the plane 16 pixels are border, of which 8 are 1 away from the other border. In space all 25
  // are, of which 5 are.
  for (const char* rules : {"metrics-reloaded", "spec", "nnunet", "isles22"})
    expect_score(moved_square(true, rules), "assd", rules, 0.5);
  for (const char* rules : {"monai", "medpy", "panoptica"})
    expect_score(moved_square(true, rules), "assd", rules, 0.2);
  // A plate has 32 corners inside its two faces, of area 1, 32 along its edges, of area sqrt(1/2),
  // and 8 at its own corners, of sqrt(3)/8. One edge with its corners lies 1 apart.
  const double edge = std::sqrt(0.5), corner = std::sqrt(3.0) / 8;
  for (const char* rules : {"deepmind", "brats2023"})
    expect_score(moved_square(true, rules), "masd", rules,
                 (8 * edge + 4 * corner) / (32 + 32 * edge + 8 * corner));
}

TEST(Boundary, added_path_length_counts_pixels_of_the_outline_that_are_new) {
  // Of the 16 pixels of the moved square's outline, 5 lie beyond the other square and 3 inside it.
  for (const bool has_third_axis : {true, false})
    expect_score(moved_square(has_third_axis, "metrics-reloaded"), "apl", "metrics-reloaded", 8);
}

TEST(Boundary, an_image_without_a_third_axis_is_measured_in_its_plane_by_all) {
  for (const char* rules : {"metrics-reloaded", "monai", "medpy", "panoptica"})
    expect_score(moved_square(false, rules), "assd", rules, 0.5);
  // 16 corners along the sides, of length 1, and 4 at half a diagonal. One side with its corners
  // and the inner corners of the opposite one lie 1 apart.
  const double half = std::sqrt(0.5);
  for (const char* rules : {"deepmind", "brats2023"})
    expect_score(moved_square(false, rules), "masd", rules, (8 + 2 * half) / (16 + 4 * half));
}

TEST(Boundary, distances_grow_with_the_spacing) {
  std::mt19937_64 rng(23);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = random_shape(rng, 9);
    const Mask p = random_mask(rng, shape, 0.3), r = random_mask(rng, shape, 0.3);
    if (p.empty() || r.empty()) continue;
    const Point small = {1, 2, 0.5}, large = {4, 8, 2};
    for (const char* rules : {"metrics-reloaded", "deepmind", "faces"})
      for (const char* key : {"hd", "hd95", "assd", "masd"})
        expect_score(distances(p, r, large, rules), key, rules,
                     4 * *value(scored(distances(p, r, small, rules), key, rules)));
  }
}

TEST(Boundary, nothing_depends_on_where_in_the_image_the_masks_lie_nor_on_the_order_of_axes) {
  std::mt19937_64 rng(24);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = {2 + rng() % 6, 2 + rng() % 6, 2 + rng() % 6};
    const Mask masks[2] = {random_mask(rng, shape, 0.3), random_mask(rng, shape, 0.3)};
    if (masks[0].empty() || masks[1].empty()) continue;
    const Point spacing = random_spacing(rng);
    // Axes in the order z, x, y, the first flipped, and moved by (1, 2, 3) in a larger image.
    const Shape turned = {shape[2] + 4, shape[0] + 4, shape[1] + 4};
    std::vector<Mask> moved;
    for (const Mask& mask : masks) {
      std::vector<std::uint8_t> voxels(turned[0] * turned[1] * turned[2]);
      for_each_voxel(mask, [&](Index x, Index y, Index z) {
        const auto a = shape[2] - static_cast<std::size_t>(z), b = static_cast<std::size_t>(x) + 2,
                   c = static_cast<std::size_t>(y) + 3;
        voxels[a + turned[0] * (b + turned[1] * c)] = mask.at(x, y, z) ? 1 : 0;
      });
      moved.emplace_back(turned, std::move(voxels));
    }
    const SurfaceDistances before = distances(masks[0], masks[1], spacing);
    const SurfaceDistances after =
        distances(moved[0], moved[1], {spacing[2], spacing[0], spacing[1]});
    for (const char* key : {"hd", "hd95", "assd", "masd", "nsd", "boundary_iou"})
      expect_score(after, key, "metrics-reloaded", *value(scored(before, key, "metrics-reloaded")));
  }
}

// ---------------------------------------------------------------- surfels

TEST(CornerAreas, are_those_of_marching_cubes) {
  const auto cube = corner_areas({true, true, true}, {1, 1, 1});
  const double corner = std::sqrt(3.0) / 8;
  EXPECT_EQ(cube[0], 0);
  EXPECT_EQ(cube[255], 0);
  EXPECT_DOUBLE_EQ(cube[1], corner);
  EXPECT_DOUBLE_EQ(cube[0b11], std::sqrt(0.5));                         // two along x
  EXPECT_DOUBLE_EQ(cube[0b1001], 2 * corner);                           // across a face
  EXPECT_DOUBLE_EQ(cube[0b10000001], 2 * corner);                       // across the cube
  EXPECT_DOUBLE_EQ(cube[0b1111], 1);                                    // a square
  EXPECT_DOUBLE_EQ(cube[0b111], 0.5 + 3 * corner);                      // bent
  EXPECT_DOUBLE_EQ(cube[0b10111], 6 * corner);                          // a tripod
  EXPECT_DOUBLE_EQ(cube[0b100111], 4 * corner + 2 * std::sqrt(0.125));  // a screw
  for (std::size_t code = 0; code < 256; ++code) EXPECT_EQ(cube[code], cube[255 - code]);

  const auto flat = corner_areas({true, true, false}, {2, 1, 7});
  EXPECT_DOUBLE_EQ(flat[0b0001], 1.118033988749895);  // half a diagonal
  EXPECT_DOUBLE_EQ(flat[0b0011], 2);                  // along x
  EXPECT_DOUBLE_EQ(flat[0b0101], 1);                  // along y
  EXPECT_DOUBLE_EQ(flat[0b1001], 2 * 1.118033988749895);
}

TEST(CornerAreas, anisotropic_spacing_scales_each_face_by_itself) {
  const auto areas = corner_areas({true, true, true}, {2, 3, 5});
  EXPECT_DOUBLE_EQ(areas[0b1111], 6);                          // a square across z
  EXPECT_DOUBLE_EQ(areas[0b110011], 10);                       // across y
  EXPECT_DOUBLE_EQ(areas[0b1010101], 15);                      // across x
  EXPECT_DOUBLE_EQ(areas[0b11], 0.5 * std::hypot(6.0, 10.0));  // two along x
}

TEST(Boundary, surfels_equal_the_definition_on_random_masks) {
  std::mt19937_64 rng(25);
  for (int i = 0; i < 1500; ++i) {
    const Shape shape = {2 + rng() % 5, 2 + rng() % 5, 1 + rng() % 4};
    const Mask masks[2] = {random_mask(rng, shape, 0.4), random_mask(rng, shape, 0.4)};
    if (masks[0].empty() || masks[1].empty()) continue;
    const Point spacing = random_spacing(rng);
    const Axes axes = axes_of(shape);
    const auto areas = corner_areas(axes, spacing);
    Surface dots[2];
    for (const int side : {0, 1})
      for_each_voxel(
          masks[side],
          [&](Index x, Index y, Index z) {
            if (!axes[2] && z != 0) return;
            unsigned code = 0;
            for (unsigned k = 0; k < (axes[2] ? 8U : 4U); ++k)
              if (masks[side].at(x - 1 + static_cast<Index>(k & 1),
                                 y - 1 + static_cast<Index>(k >> 1 & 1),
                                 axes[2] ? z - 1 + static_cast<Index>(k >> 2) : z))
                code |= 1U << k;
            if (areas[code] > 0)
              dots[side].push_back({in_mm(static_cast<double>(x), static_cast<double>(y),
                                          static_cast<double>(z), spacing),
                                    areas[code]});
          },
          1);
    const Listed a = listed(dots[0], [&](const Point& q) { return nearest(q, dots[1]); });
    const Listed b = listed(dots[1], [&](const Point& q) { return nearest(q, dots[0]); });
    const SurfaceDistances found = distances(masks[0], masks[1], spacing, "deepmind");
    expect_score(found, "hd", "deepmind", std::max(a.back().first, b.back().first));
    expect_score(found, "assd", "deepmind", (weighted(a) + weighted(b)) / (total(a) + total(b)));
    expect_score(found, "nsd", "deepmind", (within(a, 1) + within(b, 1)) / (total(a) + total(b)));
  }
}

// ---------------------------------------------------------------- faces

/// A face between two voxels: its low and high corner in mm, flat along one axis.
struct Face {
  Point low{}, high{};
};

std::vector<Face> faces_of(const Mask& mask, const Point& spacing) {
  std::vector<Face> out;
  for_each_voxel(mask, [&](Index x, Index y, Index z) {
    if (!mask.at(x, y, z)) return;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const Index step : {-1, 1}) {
        Place there = {x, y, z};
        there[axis] += step;
        if (mask.at(there[0], there[1], there[2])) continue;
        const Place here = {x, y, z};
        Face face;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto middle = static_cast<double>(here[k]);
          face.low[k] =
              (middle - (k == axis ? -0.5 * static_cast<double>(step) : 0.5)) * spacing[k];
          face.high[k] =
              (middle + (k == axis ? 0.5 * static_cast<double>(step) : 0.5)) * spacing[k];
        }
        out.push_back(face);
      }
  });
  return out;
}

/// Two triangles, cut along the diagonal from high to low in one and low to high in the other axis.
Surface triangles_of(const std::vector<Face>& faces) {
  Surface out;
  for (const Face& face : faces) {
    Dot one, other;
    double area = 0.5;
    for (std::size_t k = 0; k < 3; ++k) {
      const double side = face.high[k] - face.low[k];
      one.at[k] = face.low[k] + side / 3;
      other.at[k] = face.low[k] + 2 * side / 3;
      if (side > 0) area *= side;
    }
    one.weight = other.weight = area;
    out.push_back(one);
    out.push_back(other);
  }
  return out;
}

double to_faces(const Point& q, const std::vector<Face>& faces) {
  double best = infinity;
  for (const Face& face : faces) {
    Point on;
    for (std::size_t k = 0; k < 3; ++k) on[k] = std::clamp(q[k], face.low[k], face.high[k]);
    best = std::min(best, distance(q, on));
  }
  return best;
}

TEST(Boundary, faces_equal_the_definition_on_random_masks) {
  std::mt19937_64 rng(26);
  for (int i = 0; i < 800; ++i) {
    const Shape shape = {2 + rng() % 5, 2 + rng() % 5, 2 + rng() % 5};
    const Mask p = random_mask(rng, shape, 0.3 + 0.2 * static_cast<double>(rng() % 4));
    const Mask r = random_mask(rng, shape, 0.3 + 0.2 * static_cast<double>(rng() % 4));
    if (p.empty() || r.empty()) continue;
    const Point spacing = random_spacing(rng);
    const auto p_faces = faces_of(p, spacing), r_faces = faces_of(r, spacing);
    const Listed a =
        listed(triangles_of(p_faces), [&](const Point& q) { return to_faces(q, r_faces); });
    const Listed b =
        listed(triangles_of(r_faces), [&](const Point& q) { return to_faces(q, p_faces); });
    const SurfaceDistances found = distances(p, r, spacing, "faces");
    expect_score(found, "hd", "faces", std::max(a.back().first, b.back().first));
    expect_score(found, "assd", "faces", (weighted(a) + weighted(b)) / (total(a) + total(b)));
    expect_score(found, "masd", "faces", (weighted(a) / total(a) + weighted(b) / total(b)) / 2);
  }
}

}  // namespace boundary_metrics_test
