// SPDX-License-Identifier: Apache-2.0
/// Compares a prediction with a stored one, to see whether the same model gives the same result.
#pragma once

#include <filesystem>

#include "assay/results/prediction_report.hpp"
#include "assay/score/case_predictor.hpp"

namespace assay::score {

/// Whether the file holds logits (one number per class) rather than labels, so that prediction must
/// provide logits, too.
bool holds_logits(const std::filesystem::path& file);

/// Compares labels on the image's grid or, if the stored ones are there, on the model's. Stored
/// logits are compared with the model's own, and their argmax with its labels. `native` are the
/// labels on the image's grid. Throws Error when the file has neither grid.
results::PredictionCheck check_against(const std::filesystem::path& file,
                                       const PredictedCase& predicted, View<std::uint8_t> native);

}  // namespace assay::score
