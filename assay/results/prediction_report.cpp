// SPDX-License-Identifier: Apache-2.0
#include "assay/results/prediction_report.hpp"

#include "assay/base/json.hpp"

namespace assay::results {
namespace {

Json to_json(const PredictionCheck& check) {
  const auto& logits = check.greatest_logit_difference;
  return {{"against", check.against},
          {"space", check.space},
          {"voxels", check.voxels},
          {"differing", check.differing},
          {"greatest_logit_difference", or_null(logits)}};
}

Json to_json(const PredictedImage& image) {
  Json out = {{"image", image.image}, {"status", image.error.empty() ? "ok" : "failed"}};
  if (!image.error.empty()) {
    out["error"] = image.error;
    return out;
  }
  Json classes = Json::object();
  for (const auto& [label, voxels] : image.voxels)
    classes[std::to_string(label)] = {{"voxels", voxels},
                                      {"ml", static_cast<double>(voxels) * image.voxel_ml}};
  out["output"] = or_null(image.output);
  out["classes"] = classes;
  out["from_cache"] = image.from_cache;
  if (!image.warning.empty()) out["warnings"] = Json::array({image.warning});
  if (image.check) out["check"] = to_json(*image.check);
  return out;
}

}  // namespace

std::string prediction_text(const PredictionReport& report, const Provenance& provenance) {
  Json images = Json::array();
  for (const PredictedImage& image : report.images) images.push_back(to_json(image));
  const metrics::PredictionSource& s = report.source;
  const Json out = {{"schema", prediction_schema},
                    {"images", images},
                    {"settings",
                     {{"backend", s.backend},
                      {"model_sha256", s.sha256},
                      {"recipe", s.recipe},
                      {"recipe_sha256", s.recipe_sha256}}},
                    {"provenance", provenance_json(provenance)}};
  return to_text(out) + "\n";
}

}  // namespace assay::results
