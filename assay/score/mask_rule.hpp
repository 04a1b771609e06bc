// SPDX-License-Identifier: Apache-2.0
/// Which voxels of a mask are foreground, and whether a map needs a threshold.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/cohort.hpp"
#include "assay/image.hpp"

namespace assay::score {

/// What counts as foreground on one side of a pair: value > 0 unless a field says otherwise.
struct MaskRule {
  std::optional<double> threshold{};      ///< value >= threshold
  bool nonzero = false;                   ///< every value but 0
  std::optional<double> map_threshold{};  ///< value >= map_threshold, for maps only
  bool takes_maps = false;                ///< maps need no threshold, since they are not counted
  bool can_be_cut = false;                ///< --threshold T would make value >= T foreground
  std::string_view remedy{};              ///< what to do about a map that is refused
};

MaskRule prediction_rule(const metrics::ScoreSettings& settings);
MaskRule reference_rule(const metrics::ScoreSettings& settings);

/// The foreground by that rule. Whether an image is a map is checked only where the rule depends on
/// it. Throws Error::input on a map that the rule does not accept.
JudgedMask mask_by(const MaskRule& rule, const Image& image, Buffer& scratch);

/// Throws the Error::input of mask_by; `values` are some of the map.
[[noreturn]] void refuse_map(const std::string& values, const MaskRule& rule);

}  // namespace assay::score
