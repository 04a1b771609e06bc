// SPDX-License-Identifier: Apache-2.0
/// All settings of scoring, so that another process can compute the same results from records.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/cohort.hpp"

namespace assay::results {

/// Every setting except those that do not change results, such as the model's name and the reader.
nlohmann::ordered_json score_settings_json(const metrics::ScoreSettings& settings);

/// How contours were turned into voxels; null where there are none.
nlohmann::ordered_json contour_settings_json(const std::optional<ContourSettings>& contours);

/// The reverse. Throws Error or Json::exception on anything that score_settings_json does not
/// write.
metrics::ScoreSettings parse_score_settings(const nlohmann::ordered_json& json);

}  // namespace assay::results
