// SPDX-License-Identifier: Apache-2.0
#include "assay/results/score_settings.hpp"

#include <cmath>

#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/base/whole.hpp"
#include "assay/error.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/results/own_metric_json.hpp"

namespace assay::results {
namespace {

constexpr std::pair<const char*, std::string metrics::PredictionSource::*> source_members[] = {
    {"backend", &metrics::PredictionSource::backend},
    {"model_sha256", &metrics::PredictionSource::sha256},
    {"recipe", &metrics::PredictionSource::recipe},
    {"recipe_sha256", &metrics::PredictionSource::recipe_sha256},
    {"space", &metrics::PredictionSource::space},
};

double finite_setting(const Json& json) {
  const double number = json;
  if (!std::isfinite(number)) throw Error(Error::Kind::input, "a setting is not a finite number");
  return number;
}

Json chosen_metrics_json(const std::vector<metrics::ChosenMetric>& metrics) {
  Json out = Json::array();
  for (const metrics::ChosenMetric& m : metrics) {
    out.push_back({{"key", m.key}, {"argument", m.argument}, {"if_present", m.if_present}});
    if (m.own) out.back()["own"] = own_metric_json(m.own->declared);
  }
  return out;
}

metrics::ChosenMetric parse_chosen_metric(const Json& json) {
  const std::string key = json.at("key");
  if (json.contains("own"))
    return metrics::chosen_metric(metrics::own_metric(parse_own_metric(json.at("own"))));
  auto found = metrics::metric_of_key(key);
  if (!found) throw Error(Error::Kind::input, "'" + key + "' is not a metric of this version");
  found->argument = finite_setting(json.at("argument"));
  found->if_present = json.at("if_present");
  return *found;
}

Json lesion_choice_json(const metrics::LesionSettings& s) {
  return {{"rule", name_in(metrics::lesion_rules(), s.rule)},
          {"connectivity", name_in(metrics::connectivities(), s.connectivity)},
          {"least_ml", s.least_ml},
          {"half_matches", s.half_matches}};
}

metrics::LesionSettings parse_lesion_choice(const Json& json) {
  return {.rule = value_in(metrics::lesion_rules(), json.at("rule").get<std::string>(), "rule"),
          .connectivity = value_in(metrics::connectivities(),
                                   json.at("connectivity").get<std::string>(), "connectivity"),
          .least_ml = finite_setting(json.at("least_ml")),
          .half_matches = json.at("half_matches")};
}

std::optional<Color> parse_color(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<Color>();
}

Json picture_rules_json(const PictureRules& rules) {
  Json colors = Json::array();
  for (const LabelRow& row : rules.colors)
    colors.push_back({row.label, row.name, or_null(row.color)});
  return {{"colors", colors},
          {"size_mm", or_null(rules.size_mm)},
          {"uses_stated_size", rules.uses_stated_size},
          {"level", rules.level}};
}

PictureRules parse_picture_rules(const Json& json) {
  PictureRules out = {.uses_stated_size = json.at("uses_stated_size"),
                      .level = Whole(json.at("level"))};
  for (const Json& row : json.at("colors"))
    out.colors.push_back({Whole(row.at(0)), row.at(1), parse_color(row.at(2))});
  if (const Json& size = json.at("size_mm"); !size.is_null()) {
    out.size_mm.emplace();
    for (std::size_t axis = 0; axis < 3; ++axis)
      (*out.size_mm)[axis] = finite_setting(size.at(axis));
  }
  return out;
}

Json asked_regions_json(const std::vector<metrics::Region>& regions) {
  Json out = Json::array();
  for (const metrics::Region& r : regions)
    out.push_back({{"key", r.key},
                   {"name", r.name},
                   {"members", r.members},
                   {"is_union", r.is_union},
                   {"color", or_null(r.color)}});
  return out;
}

metrics::Region parse_asked_region(const Json& json) {
  metrics::Region out = {.key = json.at("key"), .name = json.at("name"), .members = {}};
  for (const Json& label : json.at("members")) out.members.push_back(Whole(label));
  out.is_union = json.at("is_union");
  out.color = parse_color(json.at("color"));
  return out;
}

Json prediction_source_json(const std::optional<metrics::PredictionSource>& source) {
  if (!source) return nullptr;
  Json out = Json::object();
  for (const auto& [key, member] : source_members) out[key] = *source.*member;
  return out;
}

std::optional<metrics::PredictionSource> parse_prediction_source(const Json& json) {
  if (json.is_null()) return std::nullopt;
  metrics::PredictionSource out;
  for (const auto& [key, member] : source_members) out.*member = json.at(key).get<std::string>();
  return out;
}

std::optional<ContourSettings> parse_contour_settings(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return {{.rule = value_in(raster_rules(), json.at("rule").get<std::string>(), "rule"),
           .gaps = value_in(contour_gaps(), json.at("gaps").get<std::string>(), "gaps")}};
}

}  // namespace

Json contour_settings_json(const std::optional<ContourSettings>& contours) {
  if (!contours) return nullptr;
  return {{"rule", name_in(raster_rules(), contours->rule)},
          {"gaps", name_in(contour_gaps(), contours->gaps)}};
}

Json score_settings_json(const metrics::ScoreSettings& settings) {
  // Names every member, so that a new one does not compile until it is handled here.
  const auto& [model_name, metrics, marks_reliable, convention, beta, lesions, regions, all_labels,
               ignored, threshold, foreground_nonzero, missing, allow_affine_mismatch, compat_spec,
               interval, source, contours, reader, image_folders, pictures, prediction_level, unit,
               resampled, interpolation, volumes] = settings;
  static_cast<void>(model_name);
  static_cast<void>(image_folders);
  static_cast<void>(reader);
  static_cast<void>(unit);  // determined again when cases are scored
  return {{"metrics", chosen_metrics_json(metrics)},
          {"marks_reliable", marks_reliable},
          {"convention", convention->name},
          {"beta", beta},
          {"lesions", lesion_choice_json(lesions)},
          {"regions", asked_regions_json(regions)},
          {"all_labels", all_labels},
          {"ignore_label", or_null(ignored)},
          {"threshold", or_null(threshold)},
          {"foreground_nonzero", foreground_nonzero},
          {"missing", name_in(metrics::missing_rules(), missing)},
          {"allow_affine_mismatch", allow_affine_mismatch},
          {"compat_spec", compat_spec},
          {"ci_method", name_in(metrics::mean_intervals(), interval)},
          {"prediction", prediction_source_json(source)},
          {"contours", contour_settings_json(contours)},
          {"pictures", picture_rules_json(pictures)},
          {"prediction_level", prediction_level},
          {"resampled", name_in(metrics::resampled_sides(), resampled)},
          {"interpolation", name_in(metrics::interpolations(), interpolation)},
          {"volumes", name_in(metrics::volume_rules(), volumes)}};
}

metrics::ScoreSettings parse_score_settings(const Json& json) {
  metrics::ScoreSettings out;
  for (const Json& metric : json.at("metrics")) out.metrics.push_back(parse_chosen_metric(metric));
  out.marks_reliable = json.at("marks_reliable");
  out.convention = &metrics::convention(json.at("convention").get<std::string>());
  out.beta = finite_setting(json.at("beta"));
  out.lesions = parse_lesion_choice(json.at("lesions"));
  out.regions.clear();
  for (const Json& region : json.at("regions")) out.regions.push_back(parse_asked_region(region));
  out.all_labels = json.at("all_labels");
  if (const Json& label = json.at("ignore_label"); !label.is_null())
    out.ignored = static_cast<Label>(Whole(label));
  if (const Json& threshold = json.at("threshold"); !threshold.is_null())
    out.threshold = finite_setting(threshold);
  out.foreground_nonzero = json.at("foreground_nonzero");
  out.missing =
      value_in(metrics::missing_rules(), json.at("missing").get<std::string>(), "missing");
  out.allow_affine_mismatch = json.at("allow_affine_mismatch");
  out.compat_spec = json.at("compat_spec");
  out.interval =
      value_in(metrics::mean_intervals(), json.at("ci_method").get<std::string>(), "ci_method");
  out.source = parse_prediction_source(json.at("prediction"));
  out.contours = parse_contour_settings(json.at("contours"));
  out.pictures = parse_picture_rules(json.at("pictures"));
  out.prediction_level = Whole(json.at("prediction_level"));
  out.resampled =
      value_in(metrics::resampled_sides(), json.at("resampled").get<std::string>(), "resampled");
  out.interpolation = value_in(metrics::interpolations(),
                               json.at("interpolation").get<std::string>(), "interpolation");
  out.volumes = value_in(metrics::volume_rules(), json.at("volumes").get<std::string>(), "volumes");
  return out;
}

}  // namespace assay::results
