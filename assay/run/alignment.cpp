// SPDX-License-Identifier: Apache-2.0
#include "assay/run/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "assay/core/error.hpp"

namespace assay {
namespace {

std::string millimetres(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g mm", x);
  return text;
}

std::string both(const Grid& prediction, const Grid& reference) {
  return "prediction: " + describe(prediction) + "; reference: " + describe(reference);
}

}  // namespace

Alignment aligned(const Grid& prediction, const Grid& reference, bool allow_affine_mismatch) {
  const AxisMap map = axis_map(prediction, reference);
  const double shift = greatest_corner_shift_mm(reoriented(prediction, map), reference);
  if (shift <= equal_grids_mm) return {map, ""};

  const double voxel_mm = std::ranges::min(spacing_mm(reference));
  if (shift <= tolerated_shift_voxels * voxel_mm)
    return {map, "the grids differ by up to " + millimetres(shift) + ", less than 0.1 voxel"};

  if (allow_affine_mismatch && prediction.shape == reference.shape)
    return {{}, "the affines differ and were ignored; voxels were compared in storage order"};
  if (std::isinf(shift))
    throw Error(Error::Kind::input,
                "the images have different shapes; resample the prediction to "
                "the reference first (" +
                    both(prediction, reference) + ")");
  throw Error(Error::Kind::input,
              "the images lie " + millimetres(shift) +
                  " apart; resample the prediction to the "
                  "reference, or add --allow-affine-mismatch if a header is wrong (" +
                  both(prediction, reference) + ")");
}

}  // namespace assay
