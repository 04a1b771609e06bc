// SPDX-License-Identifier: Apache-2.0
/// Runs a network window by window and flip by flip, and labels the means of its scores.
#pragma once

#include <memory>

#include "assay/model.hpp"

namespace assay::model {

/// `network` must give logits. Throws what require_valid throws.
std::unique_ptr<Predictor> score_predictor(std::unique_ptr<Predictor> network,
                                           const ScoreRules& rules);

}  // namespace assay::model
