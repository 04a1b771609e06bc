// SPDX-License-Identifier: Apache-2.0
/// What a lesion is and when it counts as found: chosen by the user, or defined by a convention.
#pragma once

#include <span>
#include <string_view>

#include "assay/base/named.hpp"
#include "assay/metrics/components.hpp"

namespace assay::metrics {

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
  double least_ml = 0;        ///< smaller lesions are left out, on both sides
  bool half_matches = false;  ///< an IoU of exactly 0.5 makes a pair, of the rule iou and of pq

  bool operator==(const LesionSettings&) const = default;
};

}  // namespace assay::metrics
