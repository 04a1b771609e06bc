// SPDX-License-Identifier: Apache-2.0
/// Resamples labels from one grid to another, where requested (--resample).
#pragma once

#include <vector>

#include "assay/cohort.hpp"
#include "assay/memory.hpp"
#include "assay/volume.hpp"

namespace assay::score {

/// Whether two grids differ by more than flips, permutations and rounding. Images without a
/// position in space are never resampled.
bool needs_resampling(const Grid& from, const Grid& onto);

/// A label map that owns its voxels.
struct OwnedLabels {
  Grid grid{};
  std::vector<std::uint16_t> codes{};
  std::vector<Label> values{};  ///< by code; the first is the background

  bool operator==(const OwnedLabels&) const = default;
};

/// The labels at the places of the voxels of `onto`, and background outside the image. The image
/// ends half a voxel beyond the centres of its outermost voxels, as in ITK. Codes above the last
/// value mean that value, as in masks.
OwnedLabels resampled_labels(const LabelView& labels, const Grid& onto,
                             metrics::Interpolation interpolation);

/// The effect of resampling: how many voxels differ when the result is brought back by nearest
/// neighbour.
metrics::ResamplingEvidence resampling_evidence(const LabelView& before, const OwnedLabels& after);

}  // namespace assay::score
