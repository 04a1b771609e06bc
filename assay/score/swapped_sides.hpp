// SPDX-License-Identifier: Apache-2.0
/// Signs that predictions and references were given in the wrong order.
#pragma once

#include <optional>
#include <string>

#include "assay/score.hpp"

namespace assay::score {

/// A warning if the predictions are named or filled like references, or the other way round;
/// nothing when both sides look the same. Throws Error::usage when there is no doubt.
std::optional<std::string> swap_warning(const CohortRequest& request);

}  // namespace assay::score
