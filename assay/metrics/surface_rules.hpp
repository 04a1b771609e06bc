// SPDX-License-Identifier: Apache-2.0
/// What definitions of surface distances leave open, as a convention settles it.
#pragma once

namespace assay::metrics {

struct SurfaceRules {
  /// border_voxels: voxels with background next to them, each counting 1. surfels: points at the
  /// corners of voxels, weighted by the area that marching cubes puts there. faces: the faces
  /// between foreground and background themselves, weighted by their area.
  enum class Elements { border_voxels, surfels, faces };

  Elements elements = Elements::border_voxels;
  bool thin_axes = false;      ///< an axis of one voxel counts: in a slice every voxel is border
  bool steps = false;          ///< a percentile is a distance of the list, not interpolated
  bool pooled = false;         ///< percentiles of both directions as one list, not the greater
  bool assd_of_means = false;  ///< ASSD is the mean of two means, which others call MASD
  bool nsd_of_shares = false;  ///< NSD is the mean of two shares, not the share of both surfaces

  constexpr bool operator==(const SurfaceRules&) const = default;
};

}  // namespace assay::metrics
