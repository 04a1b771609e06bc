// SPDX-License-Identifier: Apache-2.0
#include "assay/results/probability_json.hpp"

namespace assay::results {
namespace {

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
