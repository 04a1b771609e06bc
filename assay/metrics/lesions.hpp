// SPDX-License-Identifier: Apache-2.0
/// From two masks to lesions: components, and which of one side found which of the other.
#pragma once

#include <span>
#include <string_view>

#include "assay/core/grid.hpp"
#include "assay/metrics/boundary.hpp"
#include "assay/metrics/components.hpp"
#include "assay/metrics/evidence.hpp"
#include "assay/stats/named.hpp"

namespace assay {

/// When a lesion counts as found.
/// any: one voxel in common (ISLES, WMH). brats: reference lesions that meet when dilated are one,
/// and a prediction finds them by touching the dilated lesion. anima: at least 10 % covered, by
/// lesions that lie outside by no more than 70 %. iou: IoU > 0.5, one to one.
enum class LesionRule { any, brats, anima, iou };

std::span<const Named<LesionRule>> lesion_rules();
std::string_view name(LesionRule rule);

struct LesionSettings {
  LesionRule rule = LesionRule::any;
  Connectivity connectivity = Connectivity::corners;
  double least_ml = 0;  ///< smaller lesions are left out, on both sides

  bool operator==(const LesionSettings&) const = default;
};

/// What of the image lesions need.
struct LesionScene {
  const Solids& solids;
  Grid grid;
  bool with_distances = false;
  SurfaceRules surface{};
};

/// How many voxels the box around the masks must be wider than they are.
Index lesion_room(const LesionSettings& settings);

/// One of the masks may be empty.
LesionEvidence lesion_evidence(const LesionScene& scene, const LesionSettings& settings);

}  // namespace assay
