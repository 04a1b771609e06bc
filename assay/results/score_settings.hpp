// SPDX-License-Identifier: Apache-2.0
/// Settings of scoring in full, so that another process can compute the same results from records.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/cohort.hpp"

namespace assay::results {

/// Every setting but the model's name, and the reader, which changes nothing in the results.
nlohmann::ordered_json score_settings_json(const metrics::ScoreSettings& settings);

/// How contours became voxels; null where there are none.
nlohmann::ordered_json contour_settings_json(const std::optional<ContourSettings>& contours);

/// The reverse. Throws Error or Json::exception on anything else.
metrics::ScoreSettings parse_score_settings(const nlohmann::ordered_json& json);

}  // namespace assay::results
