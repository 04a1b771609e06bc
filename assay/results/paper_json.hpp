// SPDX-License-Identifier: Apache-2.0
/// Parts of a paper's file that `assay.parity/1` repeats.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/parity.hpp"

namespace assay::results {

/// The parts of a paper that `assay.parity/1` files repeat: one model, and the members `tolerances`
/// and `limits`. Reading throws Json::exception where one is missing.
nlohmann::ordered_json paper_model_json(const parity::PaperModel& model);
void add_limits(nlohmann::ordered_json& out, const parity::ParityLimits& limits);
parity::ParityLimits parse_limits(const nlohmann::ordered_json& file);

}  // namespace assay::results
