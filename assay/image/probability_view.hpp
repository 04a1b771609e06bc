// SPDX-License-Identifier: Apache-2.0
/// Maps of probabilities in the form that metrics need.
#pragma once

#include <span>
#include <variant>

#include "assay/image/grid.hpp"

namespace assay {

/// A borrowed map: how likely each voxel is to be foreground, from 0 to 1, in the precision in
/// which it was stored, so that ties are ties. Pass it by value; it owns nothing.
struct ProbabilityView {
  Grid grid;
  std::variant<std::span<const float>, std::span<const double>> values;
};

}  // namespace assay
