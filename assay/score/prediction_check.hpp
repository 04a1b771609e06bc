// SPDX-License-Identifier: Apache-2.0
/// A prediction against one that was stored: did the same model say the same?
#pragma once

#include <filesystem>

#include "assay/results/prediction_report.hpp"
#include "assay/score/case_predictor.hpp"

namespace assay::score {

/// Whether the file holds logits (numbers by class) rather than labels, so that predicting must
/// give them too.
bool holds_logits(const std::filesystem::path& file);

/// Compares labels on the image's grid or, if that is where the stored ones are, on the model's.
/// Stored logits are compared with the model's own, and their largest with its labels. `native` are
/// the labels on the image's grid. Throws Error when the file has neither grid.
results::PredictionCheck check_against(const std::filesystem::path& file,
                                       const PredictedCase& predicted, View<std::uint8_t> native);

}  // namespace assay::score
