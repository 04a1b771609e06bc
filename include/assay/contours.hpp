// SPDX-License-Identifier: Apache-2.0
/// How contours, such as those of an RTSTRUCT, become voxels.
#pragma once

#include <span>

#include "assay/named.hpp"

namespace assay {

/// Which voxels a contour contains.
enum class RasterRule {
  centre,       ///< those whose centre is inside; even-odd over all contours of a slice
  plastimatch,  ///< those whose centre is inside one of the contours: inner ones are not holes
  rt_utils      ///< corners rounded to voxels, even-odd, and every voxel that an edge touches
};

/// What becomes of slices without a contour between two that have some.
enum class ContourGaps {
  error,       ///< the case fails
  keep,        ///< they stay empty: the structure has several parts
  interpolate  ///< they are filled between the two
};

struct ContourSettings {
  RasterRule rule = RasterRule::centre;
  ContourGaps gaps = ContourGaps::error;

  bool operator==(const ContourSettings&) const = default;
};

/// By name: "centre", "plastimatch", "rt-utils".
std::span<const Named<RasterRule>> raster_rules();
/// By name: "error", "keep", "interpolate".
std::span<const Named<ContourGaps>> contour_gaps();

}  // namespace assay
