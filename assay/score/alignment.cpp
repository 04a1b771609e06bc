// SPDX-License-Identifier: Apache-2.0
#include "assay/score/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.hpp"

namespace assay::score {
namespace {

std::string millimetres(double x) {
  return fmt::format("{:.3g} mm", x);
}

std::string both(const Grid& prediction, const Grid& reference) {
  return "prediction: " + describe(prediction) + "; reference: " + describe(reference);
}

Error different_shapes(const Grid& prediction, const Grid& reference) {
  const bool have_places = prediction.in_space && reference.in_space;
  return {Error::Kind::input,
          std::string("the images have different shapes; ") +
              (have_places ? "give --resample prediction to resample the prediction to the "
                             "reference's grid ("
                           : "save the prediction with the shape of the reference (") +
              both(prediction, reference) + ")"};
}

/// A grid whose affine says only which index each axis runs along.
Grid indexed(const Grid& grid) {
  return grid.in_space ? Grid{.shape = grid.shape, .affine = identity_affine} : grid;
}

/// For pairs in which at least one side is an array, so that only the order of its indices is
/// known.
Alignment aligned_by_index(const Grid& prediction, const Grid& reference) {
  const Grid from = indexed(prediction), to = indexed(reference);
  const AxisMap map = axis_map(from, to);
  if (reoriented(from, map).shape != to.shape) throw different_shapes(prediction, reference);
  if (reference.in_space)
    return {map, "the prediction has no position in space; it was compared by shape alone",
            reference};
  if (prediction.in_space)
    return {map, "the reference has no position in space; it was compared by shape alone",
            reoriented(prediction, map)};
  return {map, "", reference};
}

}  // namespace

Alignment aligned(const Grid& prediction, const Grid& reference, bool allow_affine_mismatch) {
  if (!prediction.in_space || !reference.in_space) return aligned_by_index(prediction, reference);
  const AxisMap map = axis_map(prediction, reference);
  const double shift = greatest_corner_shift_mm(reoriented(prediction, map), reference);
  if (shift <= equal_grids_mm) return {map, "", reference};

  const double voxel_mm = std::ranges::min(spacing_mm(reference));
  constexpr double tolerated_voxels = 0.1;
  if (shift <= tolerated_voxels * voxel_mm)
    return {map, "the grids differ by up to " + millimetres(shift) + ", less than 0.1 voxel",
            reference};

  if (allow_affine_mismatch && prediction.shape == reference.shape)
    return {{},
            "the affines differ and were ignored; voxels were compared in storage order",
            reference};
  if (std::isinf(shift)) throw different_shapes(prediction, reference);
  throw Error(
      Error::Kind::input,
      "the images lie " + millimetres(shift) +
          " apart; give --resample prediction to resample the prediction to the reference's "
          "grid, or --allow-affine-mismatch if a header is wrong (" +
          both(prediction, reference) + ")");
}

}  // namespace assay::score
