// SPDX-License-Identifier: Apache-2.0
/// How the values of a study were measured, as the settings of its files say it, for the methods.
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/json.hpp"
#include "assay/report/figures/figure_scene.hpp"
#include "assay/report/page/methods_parts.hpp"

namespace assay::report {
namespace {

/// The distinct values of a setting, of all files that have it.
std::vector<std::string> values_of(const Study& study, std::string_view key) {
  std::vector<std::string> out;
  for (const ResultSettings& each : study.settings)
    for (const auto& [name, value] : each.settings)
      if (name == key && value != "null" && std::ranges::find(out, value) == out.end())
        out.push_back(value);
  return out;
}

bool shows(const FigureScene& scene, std::string_view start) {
  return std::ranges::any_of(scene.metrics, [&](const FigureMetric& metric) {
    const auto known = metrics::metric_of_key(metric.name);
    return known && ((*known)->group == start || (*known)->name == start);
  });
}

std::string number_words(const std::string& text) {
  try {
    return fmt::format("{:g}", parse_json(text, "a setting").get<double>());
  } catch (const std::exception&) {
    return text;
  }
}

std::string tolerance_words(const FigureScene& scene) {
  std::vector<std::string> values = values_of(scene.study, "nsd_tolerance_mm");
  if (values.empty() || !shows(scene, "nsd")) return "";
  for (std::string& value : values) value = number_words(value);
  return fmt::format(" NSD has a tolerance of {} mm.", listed(values));
}

std::string lesion_words(const std::string& text) {
  try {
    const Json settings = parse_json(text, "lesions");
    const double least = settings.value("min_ml", 0.0);
    return fmt::format("{}-connectivity, matched by the rule {}{}",
                       settings.value("connectivity", 26), settings.value("rule", "any"),
                       least > 0 ? fmt::format(" and of at least {:g} ml", least) : "");
  } catch (const std::exception&) {
    return text;
  }
}

std::string lesions_words(const FigureScene& scene) {
  std::vector<std::string> values = values_of(scene.study, "lesions");
  if (values.empty() || !shows(scene, "lesion")) return "";
  for (std::string& value : values) value = lesion_words(value);
  return fmt::format(" Lesions are connected components with {}.", listed(values));
}

std::string missing_words(const Study& study) {
  std::string out;
  for (const std::string& value : values_of(study, "missing"))
    out += value == "worst" ? " Missing and unreadable predictions count as failures of the model."
                            : " Missing and unreadable predictions have no score.";
  return out;
}

std::string ignored_words(const Study& study) {
  const std::vector<std::string> values = values_of(study, "ignore_label");
  return values.empty()
             ? ""
             : fmt::format(" Voxels whose reference label is {} are ignored.", listed(values));
}

}  // namespace

std::string measuring_words(const FigureScene& scene) {
  return tolerance_words(scene) + lesions_words(scene) + ignored_words(scene.study) +
         missing_words(scene.study) +
         " Intervals of means are 95 % intervals of Student's t, cut to the range of the metric.";
}

}  // namespace assay::report
