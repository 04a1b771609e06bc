// SPDX-License-Identifier: Apache-2.0
// Each row of voxel centres is cut by the edges of the polygons; the inside lies between an odd and
// the next even cut. An edge counts for a row if one end is on or below it and the other above, so
// that a corner on a row is counted once, and the two sides of a keyhole cancel. Shape-based
// interpolation: S. P. Raya, J. K. Udupa, IEEE Transactions on Medical Imaging 9 (1990) 32.
#include "assay/image/rasterise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/error.hpp"

namespace assay {
namespace {

using Cuts = std::vector<std::vector<double>>;  ///< by row

/// Rounds up to a whole number, within [0, limit].
std::size_t clamped_ceil(double x, std::size_t limit) {
  return static_cast<std::size_t>(std::clamp(std::ceil(x), 0.0, static_cast<double>(limit)));
}

using Corner = std::array<double, 2>;

template <class Use>
void for_each_edge(const std::vector<Corner>& points, Use use) {
  for (std::size_t i = 0; i < points.size(); ++i) use(points[i], points[(i + 1) % points.size()]);
}

void add_cuts(Cuts& cuts, const std::vector<Corner>& points) {
  for_each_edge(points, [&](const Corner& a, const Corner& b) {
    const Corner &low = a[1] <= b[1] ? a : b, &high = a[1] <= b[1] ? b : a;
    const std::size_t end = clamped_ceil(high[1], cuts.size());
    for (std::size_t row = clamped_ceil(low[1], cuts.size()); row < end; ++row) {
      const double share = (static_cast<double>(row) - low[1]) / (high[1] - low[1]);
      cuts[row].push_back(low[0] + share * (high[0] - low[0]));
    }
  });
}

/// A slice being filled.
struct SliceRows {
  std::size_t columns;
  std::uint32_t first;  ///< voxel
  VoxelSpans& spans;

  void add(std::size_t row, std::size_t from, std::size_t to) const {
    const auto start = static_cast<std::uint32_t>(first + row * columns);
    if (from < to)
      spans.push_back(
          {start + static_cast<std::uint32_t>(from), start + static_cast<std::uint32_t>(to)});
  }
};

/// `closed`: centres on the right border belong to it as well.
void fill_between(Cuts& cuts, const SliceRows& slice, bool closed) {
  for (std::size_t row = 0; row < cuts.size(); ++row) {
    std::vector<double>& of_row = cuts[row];
    std::ranges::sort(of_row);
    for (std::size_t k = 0; k + 1 < of_row.size(); k += 2) {
      const std::size_t to = closed ? clamped_ceil(std::floor(of_row[k + 1]) + 1, slice.columns)
                                    : clamped_ceil(of_row[k + 1], slice.columns);
      slice.add(row, clamped_ceil(of_row[k], slice.columns), to);
    }
    of_row.clear();
  }
}

using Polygons = std::span<const SliceContour>;

void fill_even_odd(Polygons polygons, Cuts& cuts, const SliceRows& slice) {
  for (const SliceContour& each : polygons) add_cuts(cuts, each.points);
  fill_between(cuts, slice, false);
}

void fill_each(Polygons polygons, Cuts& cuts, const SliceRows& slice) {
  for (const SliceContour& each : polygons) {
    add_cuts(cuts, each.points);
    fill_between(cuts, slice, false);
  }
}

/// Bresenham's line between voxels.
void draw_edge(const Corner& a, const Corner& b, std::size_t rows, const SliceRows& slice) {
  const double steps = std::max(std::abs(b[0] - a[0]), std::abs(b[1] - a[1]));
  const double most = 4.0 * static_cast<double>(rows + slice.columns);
  if (steps > most) return;  // far outside the image; its inside is filled anyway
  for (double k = 0; k <= steps; ++k) {
    const double share = steps == 0 ? 0 : k / steps;
    const double x = std::floor(a[0] + share * (b[0] - a[0]) + 0.5);
    const double y = std::floor(a[1] + share * (b[1] - a[1]) + 0.5);
    if (x >= 0 && y >= 0 && x < static_cast<double>(slice.columns) && y < static_cast<double>(rows))
      slice.add(static_cast<std::size_t>(y), static_cast<std::size_t>(x),
                static_cast<std::size_t>(x) + 1);
  }
}

void fill_rounded(Polygons polygons, Cuts& cuts, const SliceRows& slice) {
  for (const SliceContour& each : polygons) {
    std::vector<Corner> rounded;
    for (const Corner& p : each.points)
      rounded.push_back({std::nearbyint(p[0]), std::nearbyint(p[1])});
    add_cuts(cuts, rounded);
    for_each_edge(rounded,
                  [&](const Corner& a, const Corner& b) { draw_edge(a, b, cuts.size(), slice); });
  }
  fill_between(cuts, slice, true);
}

/// How many cuts or drawn voxels an edge makes at most.
double steps_of(const Corner& a, const Corner& b, const Shape& shape) {
  const auto along = [&](std::size_t axis) {
    const auto limit = static_cast<double>(shape[axis]);
    return std::abs(std::clamp(b[axis], 0.0, limit) - std::clamp(a[axis], 0.0, limit));
  };
  return 1 + along(0) + along(1);
}

/// A file of a few megabytes may zigzag so often that its cuts fill the memory.
void require_drawable(Polygons polygons, const Shape& shape) {
  constexpr double most = 1 << 24;
  double steps = 0;
  for (const SliceContour& each : polygons)
    for_each_edge(each.points,
                  [&](const Corner& a, const Corner& b) { steps += steps_of(a, b, shape); });
  if (steps > most)
    throw Error(Error::Kind::input,
                "has contours that cross one slice millions of times, which nobody draws; export "
                "it again");
}

/// By `RasterRule`.
constexpr std::array fillers = {fill_even_odd, fill_each, fill_rounded};

// ---- Shape-based interpolation.

using Plane = std::vector<double>;

/// Squared distances along lines of `count` numbers that are `stride` apart (Felzenszwalb and
/// Huttenlocher 2012).
void lower_envelope(Plane& plane, std::size_t start, std::size_t stride, std::size_t count,
                    double width) {
  std::vector<double> from(count), border(count + 1);
  std::vector<std::size_t> at(count);
  for (std::size_t i = 0; i < count; ++i) from[i] = plane[start + i * stride];
  const auto height = [&](std::size_t i) {
    const double x = width * static_cast<double>(i);
    return from[i] + x * x;
  };
  const auto crossing = [&](std::size_t i, std::size_t k) {
    return (height(i) - height(k)) / (2 * width * width * static_cast<double>(i - k));
  };
  std::size_t parabolas = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (parabolas > 0 && crossing(i, at[parabolas - 1]) <= border[parabolas - 1]) --parabolas;
    border[parabolas] =
        parabolas == 0 ? -std::numeric_limits<double>::infinity() : crossing(i, at[parabolas - 1]);
    at[parabolas++] = i;
  }
  for (std::size_t i = 0, k = 0; i < count; ++i) {
    while (k + 1 < parabolas && border[k + 1] < static_cast<double>(i)) ++k;
    const double x = width * (static_cast<double>(i) - static_cast<double>(at[k]));
    plane[start + i * stride] = from[at[k]] + x * x;
  }
}

/// Distance of each pixel to the nearest pixel that has the value `to`.
Plane distances(const std::vector<char>& mask, char to, const Shape& shape,
                std::array<double, 2> pixel_mm) {
  constexpr double far = 1e12;
  Plane out(mask.size());
  std::ranges::transform(mask, out.begin(), [&](char set) { return set == to ? 0.0 : far; });
  for (std::size_t y = 0; y < shape[1]; ++y)
    lower_envelope(out, y * shape[0], 1, shape[0], pixel_mm[0]);
  for (std::size_t x = 0; x < shape[0]; ++x)
    lower_envelope(out, x, shape[0], shape[1], pixel_mm[1]);
  for (double& d : out) d = std::sqrt(d);
  return out;
}

/// Positive inside.
Plane signed_distances(const std::vector<char>& mask, const Shape& shape,
                       std::array<double, 2> pixel_mm) {
  Plane inside = distances(mask, 0, shape, pixel_mm);
  const Plane outside = distances(mask, 1, shape, pixel_mm);
  for (std::size_t i = 0; i < inside.size(); ++i) inside[i] -= outside[i];
  return inside;
}

std::vector<char> slice_mask(const VoxelSpans& voxels, std::size_t slice, std::size_t pixels) {
  std::vector<char> out(pixels, 0);
  const std::size_t start = slice * pixels, end = start + pixels;
  for (const VoxelSpan& span : voxels)
    for (std::size_t at = std::max<std::size_t>(span.first, start);
         at < std::min<std::size_t>(span.end, end); ++at)
      out[at - start] = 1;
  return out;
}

/// Which slices have voxels.
std::vector<char> filled_slices(const VoxelSpans& voxels, std::size_t pixels, std::size_t slices) {
  std::vector<char> out(slices, 0);
  for (const VoxelSpan& span : voxels)
    for (std::size_t z = span.first / pixels; z <= (span.end - 1) / pixels; ++z) out[z] = 1;
  return out;
}

/// Fills the empty slices between two slices that have voxels.
void add_between(VoxelSpans& out, const VoxelSpans& voxels, std::array<std::size_t, 2> ends,
                 const Shape& shape, std::array<double, 2> pixel_mm) {
  const std::size_t pixels = shape[0] * shape[1];
  const Plane low = signed_distances(slice_mask(voxels, ends[0], pixels), shape, pixel_mm);
  const Plane high = signed_distances(slice_mask(voxels, ends[1], pixels), shape, pixel_mm);
  for (std::size_t z = ends[0] + 1; z < ends[1]; ++z) {
    const double share = static_cast<double>(z - ends[0]) / static_cast<double>(ends[1] - ends[0]);
    for (std::size_t i = 0; i < pixels; ++i)
      if ((1 - share) * low[i] + share * high[i] > 0)
        append_span(out, static_cast<std::uint32_t>(z * pixels + i),
                    static_cast<std::uint32_t>(z * pixels + i + 1));
  }
}

}  // namespace

std::span<const Named<RasterRule>> raster_rules() {
  static constexpr Named<RasterRule> rules[] = {{"centre", RasterRule::centre},
                                                {"plastimatch", RasterRule::plastimatch},
                                                {"rt-utils", RasterRule::rt_utils}};
  return rules;
}

std::span<const Named<ContourGaps>> contour_gaps() {
  static constexpr Named<ContourGaps> gaps[] = {{"error", ContourGaps::error},
                                                {"keep", ContourGaps::keep},
                                                {"interpolate", ContourGaps::interpolate}};
  return gaps;
}

VoxelSpans rasterised(std::vector<SliceContour> contours, const Shape& shape, RasterRule rule) {
  std::ranges::stable_sort(contours, {}, &SliceContour::slice);
  VoxelSpans out;
  Cuts cuts(shape[1]);
  for (std::size_t first = 0, end = 0; first < contours.size(); first = end) {
    while (end < contours.size() && contours[end].slice == contours[first].slice) ++end;
    require_drawable(std::span(contours).subspan(first, end - first), shape);
    VoxelSpans of_slice;
    const SliceRows slice = {
        shape[0], static_cast<std::uint32_t>(contours[first].slice * shape[0] * shape[1]),
        of_slice};
    fillers[static_cast<std::size_t>(rule)](std::span(contours).subspan(first, end - first), cuts,
                                            slice);
    for (const VoxelSpan& span : united(std::move(of_slice)))
      append_span(out, span.first, span.end);
  }
  return out;
}

std::optional<std::array<std::size_t, 2>> gap_in(std::span<const SliceContour> contours) {
  std::vector<std::size_t> slices;
  for (const SliceContour& each : contours) slices.push_back(each.slice);
  std::ranges::sort(slices);
  for (std::size_t i = 1; i < slices.size(); ++i)
    if (slices[i] > slices[i - 1] + 1) return {{slices[i - 1], slices[i]}};
  return std::nullopt;
}

VoxelSpans with_filled_gaps(const VoxelSpans& voxels, const Shape& shape,
                            std::array<double, 2> pixel_mm) {
  const std::vector<char> filled = filled_slices(voxels, shape[0] * shape[1], shape[2]);
  VoxelSpans between;
  std::size_t last = shape[2];
  for (std::size_t z = 0; z < shape[2]; ++z) {
    if (filled[z] == 0) continue;
    if (last < z && z > last + 1) add_between(between, voxels, {last, z}, shape, pixel_mm);
    last = z;
  }
  between.insert(between.end(), voxels.begin(), voxels.end());
  return united(std::move(between));
}

}  // namespace assay
