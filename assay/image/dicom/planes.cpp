// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/planes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/error.hpp"

namespace assay {
namespace {

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double greatest_difference(const Point& a, const Point& b) {
  const Point d = minus(a, b);
  return std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
}

[[noreturn]] void refuse_planes(const std::string& why) {
  throw Error(Error::Kind::input, why);
}

constexpr double lattice_tolerance_mm = 0.01;  ///< decimal texts of writers are rounded

/// The smallest step between planes, of which all others must be multiples.
double slice_step(std::span<const double> heights, std::optional<double> stated) {
  std::vector<double> sorted(heights.begin(), heights.end());
  std::ranges::sort(sorted);
  double least = INFINITY;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] > lattice_tolerance_mm)
      least = std::min(least, sorted[i] - sorted[i - 1]);
  const bool has_one = !std::isfinite(least);
  if (has_one) return stated && *stated > 0 ? *stated : 1;
  // The stated spacing is used if all planes are multiples of it apart; some between them may be
  // absent.
  if (stated && *stated > lattice_tolerance_mm && *stated <= least + lattice_tolerance_mm) {
    const double count = std::round((sorted.back() - sorted.front()) / *stated);
    const double exact = (sorted.back() - sorted.front()) / count;
    const bool fits = std::ranges::all_of(sorted, [&](double height) {
      const double at = (height - sorted.front()) / exact;
      return std::abs(at - std::round(at)) * exact <= lattice_tolerance_mm;
    });
    if (fits && std::abs(exact - *stated) <= lattice_tolerance_mm) return exact;
  }
  const double count = std::round((sorted.back() - sorted.front()) / least);
  return (sorted.back() - sorted.front()) / count;
}

Affine ras_affine(const DicomPlane& plane, const Point& step, const Point& origin) {
  Affine out{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double sign = axis < 2 ? -1 : 1;  // LPS to RAS
    out[axis] = {sign * plane.along_row[axis] * plane.column_spacing,
                 sign * plane.along_column[axis] * plane.row_spacing, sign * step[axis],
                 sign * origin[axis]};
  }
  return out;
}

void require_parallel(std::span<const DicomPlane> planes) {
  const DicomPlane& first = planes.front();
  const Point normal = cross(first.along_row, first.along_column);
  for (const DicomPlane& plane : planes) {
    const bool same = greatest_difference(plane.along_row, first.along_row) < 1e-4 &&
                      greatest_difference(plane.along_column, first.along_column) < 1e-4 &&
                      std::abs(plane.column_spacing - first.column_spacing) < 1e-4 &&
                      std::abs(plane.row_spacing - first.row_spacing) < 1e-4;
    if (!same)
      refuse_planes("its planes are not parallel or have different pixel spacings; split it");
    const Point shift = minus(plane.position, first.position);
    const double height = dot(shift, normal);
    const Point aside = minus(shift, {normal[0] * height, normal[1] * height, normal[2] * height});
    if (std::sqrt(dot(aside, aside)) > 10 * lattice_tolerance_mm)
      refuse_planes(
          "its planes are shifted against each other, as with a tilted gantry; assay does not "
          "score on sheared grids, so resample it, for example with 'dcm2niix'");
  }
}

}  // namespace

DicomPlane plane_of(std::span<const double> position, std::span<const double> orientation,
                    std::span<const double> pixel_spacing) {
  if (position.size() != 3 || orientation.size() != 6 || pixel_spacing.size() != 2)
    refuse_planes(
        "does not say where its pixels are (ImagePositionPatient, ImageOrientationPatient and "
        "PixelSpacing); export it again");
  DicomPlane out = {.position = {position[0], position[1], position[2]},
                    .along_row = {orientation[0], orientation[1], orientation[2]},
                    .along_column = {orientation[3], orientation[4], orientation[5]},
                    .column_spacing = pixel_spacing[1],
                    .row_spacing = pixel_spacing[0]};
  const bool is_plane = std::abs(dot(out.along_row, out.along_row) - 1) < 1e-3 &&
                        std::abs(dot(out.along_column, out.along_column) - 1) < 1e-3 &&
                        std::abs(dot(out.along_row, out.along_column)) < 1e-3;
  if (!is_plane || !(out.column_spacing > 0) || !(out.row_spacing > 0))
    refuse_planes("its orientation or pixel spacing is impossible; export it again");
  return out;
}

PlaneStack stack_of(std::span<const DicomPlane> planes, std::size_t columns, std::size_t rows,
                    std::optional<double> spacing_mm) {
  if (planes.empty()) refuse_planes("has no frame with a position in space; export it again");
  require_parallel(planes);
  const Point normal = cross(planes.front().along_row, planes.front().along_column);
  std::vector<double> heights;
  for (const DicomPlane& plane : planes) heights.push_back(dot(plane.position, normal));
  const double step = slice_step(heights, spacing_mm);
  const auto lowest = std::ranges::min_element(heights);
  PlaneStack out;
  std::size_t slices = 1;
  for (const double height : heights) {
    const double at = (height - *lowest) / step;
    if (at > 1e6 || std::abs(at - std::round(at)) * step > 10 * lattice_tolerance_mm)
      refuse_planes("its planes are not evenly spaced; resample it to a regular grid");
    out.slices.push_back(static_cast<std::size_t>(std::round(at)));
    slices = std::max(slices, out.slices.back() + 1);
  }
  const DicomPlane& first = planes[static_cast<std::size_t>(lowest - heights.begin())];
  out.grid.shape = {columns, rows, slices};
  out.grid.affine =
      ras_affine(first, {normal[0] * step, normal[1] * step, normal[2] * step}, first.position);
  return out;
}

}  // namespace assay
