// SPDX-License-Identifier: Apache-2.0
#include "assay/results/lesions_json.hpp"

namespace assay::results {
namespace {

/// Lesions are numbered from 1 for people.
Json numbers(const std::vector<std::uint32_t>& partners) {
  Json out = Json::array();
  for (const std::uint32_t partner : partners) out.push_back(partner + 1);
  return out;
}

Json listed(const std::vector<metrics::MatchedLesion>& lesions, double voxel_ml,
            bool is_reference) {
  Json out = Json::array();
  for (const metrics::MatchedLesion& lesion : lesions) {
    Json row = {{"lesion", out.size() + 1},
                {"volume_ml", static_cast<double>(lesion.voxels) * voxel_ml},
                {"centroid_mm", lesion.centroid_mm},
                {is_reference ? "detected" : "true", lesion.matched},
                {"matched_with", numbers(lesion.partners)}};
    if (is_reference) row["dice"] = lesion.dice;
    if (lesion.hd95_mm) row["hd95"] = *lesion.hd95_mm;
    out.push_back(row);
  }
  return out;
}

}  // namespace

Json lesions_json(const metrics::LesionEvidence& evidence, double voxel_ml) {
  return {{"reference_count", evidence.references},
          {"prediction_count", evidence.predictions},
          {"detected", evidence.detected},
          {"missed", evidence.missed()},
          {"false", evidence.false_alarms()},
          {"reference", listed(evidence.reference, voxel_ml, true)},
          {"prediction", listed(evidence.prediction, voxel_ml, false)}};
}

Json sensitivity_json(std::span<const metrics::LesionEvidence* const> evidence) {
  Json out = Json::array();
  for (std::size_t bin = 0; bin <= metrics::lesion_bins_ml.size(); ++bin) {
    std::int64_t lesions = 0, detected = 0;
    for (const metrics::LesionEvidence* each : evidence) {
      lesions += each->by_size[bin].lesions;
      detected += each->by_size[bin].detected;
    }
    const bool last = bin == metrics::lesion_bins_ml.size();
    out.push_back({{"from_ml", bin == 0 ? 0 : metrics::lesion_bins_ml[bin - 1]},
                   {"below_ml", last ? Json(nullptr) : Json(metrics::lesion_bins_ml[bin])},
                   {"lesions", lesions},
                   {"detected", detected},
                   {"sensitivity", lesions == 0 ? Json(nullptr)
                                                : Json(static_cast<double>(detected) /
                                                       static_cast<double>(lesions))}});
  }
  return out;
}

Json lesion_settings_json(const metrics::LesionSettings& settings) {
  return {{"rule", name(settings.rule)},
          {"connectivity", static_cast<int>(settings.connectivity)},
          {"min_ml", settings.least_ml},
          {"iou_limit", settings.half_matches ? ">= 0.5" : "> 0.5"}};
}

}  // namespace assay::results
