// SPDX-License-Identifier: Apache-2.0
#include "assay/results/evidence_json.hpp"

namespace assay::results {
namespace {

/// Lesions are numbered from 1 in files that people read.
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
                {"volume_ml", voxel_ml == 0 ? Json(nullptr)
                                            : Json(static_cast<double>(lesion.voxels) * voxel_ml)},
                {"centroid_mm", lesion.centroid_mm},
                {is_reference ? "detected" : "true", lesion.matched},
                {"matched_with", numbers(lesion.partners)}};
    if (is_reference) row["dice"] = lesion.dice;
    if (lesion.hd95_mm) row["hd95"] = *lesion.hd95_mm;
    out.push_back(row);
  }
  return out;
}

Json to_json(const metrics::SweepMean& at) {
  return {{"threshold", at.threshold},
          {"dice", or_null(at.dice)},
          {"precision", or_null(at.precision)},
          {"recall", or_null(at.recall)}};
}

Json to_json(const std::vector<metrics::SweepMean>& sweep) {
  Json list = Json::array();
  for (const metrics::SweepMean& at : sweep) list.push_back(to_json(at));
  const auto best = metrics::best_threshold(sweep);
  return {{"best_threshold", best ? Json(best->threshold) : Json(nullptr)},
          {"best_dice", best ? Json(*best->dice) : Json(nullptr)},
          {"thresholds", list}};
}

/// Mean probability and share of foreground; null in an empty bin.
Json to_json(const metrics::CalibrationBin& bin, std::size_t number) {
  const auto part = [&](double sum) {
    return bin.voxels == 0 ? Json(nullptr) : Json(sum / static_cast<double>(bin.voxels));
  };
  const auto end = [](std::size_t n) {
    return static_cast<double>(n) / static_cast<double>(metrics::calibration_bins);
  };
  return {{"above", end(number)},
          {"up_to", end(number + 1)},
          {"voxels", bin.voxels},
          {"mean_probability", part(bin.sum)},
          {"foreground", part(static_cast<double>(bin.positives))}};
}

}  // namespace

Json failure_json(const metrics::Metric& metric) {
  if (!metric.failure) return nullptr;
  return *metric.failure == metrics::infinity ? Json("image diagonal") : Json(*metric.failure);
}

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

Json probability_json(const metrics::ProbabilityEvidence& evidence) {
  std::vector<metrics::SweepMean> sweep;
  for (std::size_t t = 0; t < metrics::sweep_thresholds.size(); ++t)
    sweep.push_back(metrics::sweep_scores(evidence, t));
  Json out = to_json(sweep), bins = Json::array();
  for (std::size_t i = 0; i < evidence.bins.size(); ++i)
    bins.push_back(to_json(evidence.bins[i], i));
  out["calibration"] = bins;
  return out;
}

Json sweep_json(const metrics::SegmentationResult& result, std::size_t region) {
  const std::vector<metrics::SweepMean> sweep = metrics::sweep_means(result, region);
  return sweep.empty() ? Json(nullptr) : to_json(sweep);
}

Json probability_settings_json() {
  return {{"ece_bins", metrics::calibration_bins},
          {"ece_of", "the probability of foreground, bins of equal width closed above"},
          {"thresholds", metrics::sweep_thresholds}};
}

}  // namespace assay::results
