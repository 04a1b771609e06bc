// SPDX-License-Identifier: Apache-2.0
#include "assay/results/label_curves.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"

namespace assay::results {
namespace {

using Kind = JsonReader::Kind;

std::optional<double> number_in(const Json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::vector<metrics::SweepMean> sweep_in(const Json& label) {
  std::vector<metrics::SweepMean> out;
  const auto sweep = label.find("threshold_sweep");
  if (sweep == label.end() || !sweep->is_object() || !sweep->contains("thresholds")) return out;
  for (const Json& row : sweep->at("thresholds")) {
    const auto threshold = number_in(row, "threshold");
    if (threshold)
      out.push_back({.threshold = *threshold,
                     .dice = number_in(row, "dice"),
                     .precision = number_in(row, "precision"),
                     .recall = number_in(row, "recall")});
  }
  return out;
}

/// Goes through the cases once and reads only lesions and calibration bins.
class CurveCases {
 public:
  CurveCases(JsonReader in, std::vector<LabelCurves>& out) : in_(in), out_(out) {}

  void read() {
    in_.list("cases", [&] {
      std::vector<Found> found;
      std::string id;
      in_.object("a case", [&](std::string_view key) {
        if (key == "id")
          id = in_.text(key);
        else if (key == "label" && in_.kind() == Kind::object)
          in_.object(key, [&](std::string_view label) { read_label(std::string(label), found); });
        else
          in_.skip();
      });
      for (Found& one : found) keep(one, id);
    });
  }

 private:
  struct Found {
    std::string label;
    std::vector<SizedLesion> lesions{};
    std::vector<metrics::CalibrationBin> bins{};
  };

  void read_label(const std::string& label, std::vector<Found>& found) {
    Found& here = found.emplace_back(Found{.label = label});
    in_.object(label, [&](std::string_view key) {
      const bool is_object = in_.kind() == Kind::object;
      if (is_object && key == "lesions")
        in_.object(key, [&](std::string_view member) {
          if (member == "reference")
            in_.list(member, [&] { read_lesion(here); });
          else
            in_.skip();
        });
      else if (is_object && key == "probability")
        in_.object(key, [&](std::string_view member) {
          if (member == "calibration")
            in_.list(member, [&] { read_bin(here); });
          else
            in_.skip();
        });
      else
        in_.skip();
    });
  }

  void read_lesion(Found& here) {
    SizedLesion lesion;
    in_.object("a lesion", [&](std::string_view key) {
      if (key == "volume_ml")
        lesion.volume_ml = in_.number(key).value_or(0);
      else if (key == "detected" && in_.kind() == Kind::boolean)
        lesion.detected = in_.boolean();
      else
        in_.skip();
    });
    here.lesions.push_back(std::move(lesion));
  }

  /// Turns the shares of a bin back into sums.
  void read_bin(Found& here) {
    double voxels = 0, probability = 0, foreground = 0;
    in_.object("a bin", [&](std::string_view key) {
      double* const to = key == "voxels"             ? &voxels
                         : key == "mean_probability" ? &probability
                         : key == "foreground"       ? &foreground
                                                     : nullptr;
      if (to == nullptr)
        in_.skip();
      else
        *to = in_.number(key).value_or(0);
    });
    constexpr double most = 0x1p53;
    const auto is_share = [](double share) { return share >= 0 && share <= 1; };
    if (!(voxels >= 0 && voxels <= most && is_share(probability) && is_share(foreground)))
      in_.fail("the bin that ends here does not hold voxels and shares of them");
    here.bins.push_back({.voxels = std::llround(voxels),
                         .positives = std::llround(foreground * voxels),
                         .sum = probability * voxels});
  }

  void keep(Found& one, const std::string& id) {
    const auto label = std::ranges::find(out_, one.label, &LabelCurves::key);
    if (label == out_.end()) return;
    for (SizedLesion& lesion : one.lesions) {
      lesion.id = id;
      label->lesions.push_back(std::move(lesion));
    }
    if (one.bins.size() != label->calibration.size()) return;
    ++label->maps;
    for (std::size_t i = 0; i < one.bins.size(); ++i) {
      label->calibration[i].voxels += one.bins[i].voxels;
      label->calibration[i].positives += one.bins[i].positives;
      label->calibration[i].sum += one.bins[i].sum;
    }
  }

  JsonReader in_;
  std::vector<LabelCurves>& out_;
};

}  // namespace

std::vector<LabelCurves> label_curves(const JsonObject& file) {
  std::vector<LabelCurves> out;
  if (!file.has("settings", Kind::object) || !file.has("labels", Kind::object) ||
      !file.has("cases", Kind::list))
    return out;
  const JsonObject settings(file.text_of("settings"), file.name());
  if (!settings.has("probability") && !settings.has("lesions")) return out;
  const Json labels = parse_json(file.text_of("labels"), std::string(file.name()));
  for (const auto& [key, label] : labels.items())
    if (label.is_object())
      out.push_back({.key = key,
                     .name = label.contains("name") && label["name"].is_string()
                                 ? label["name"].get<std::string>()
                                 : key,
                     .sweep = sweep_in(label)});
  CurveCases(file.at("cases"), out).read();
  return out;
}

}  // namespace assay::results
