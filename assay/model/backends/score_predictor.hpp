// SPDX-License-Identifier: Apache-2.0
/// Runs a network on each window and each flip, averages its scores and labels the means.
#pragma once

#include <memory>

#include "assay/model.hpp"

namespace assay::model {

/// `network` must give logits. Throws what require_valid throws.
std::unique_ptr<Predictor> score_predictor(std::unique_ptr<Predictor> network,
                                           const ScoreRules& rules);

}  // namespace assay::model
