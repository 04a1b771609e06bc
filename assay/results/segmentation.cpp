// SPDX-License-Identifier: Apache-2.0
#include "assay/results/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_append.hpp"
#include "assay/base/named.hpp"
#include "assay/base/text.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/results/evidence_json.hpp"
#include "assay/results/score_settings.hpp"
#include "assay/results/summary_json.hpp"
#include "assay/stats/moments.hpp"

namespace assay::results {
namespace {

Json to_json(const metrics::Score& score) {
  return or_null(metrics::value(score));
}

/// For one label in a scored case.
std::string_view status(const metrics::LabelScores& label) {
  return label.missing ? metrics::name(*label.missing)
                       : metrics::name(metrics::presence(label.evidence.counts));
}

/// How many scored cases have a label in which state.
Json statuses(const metrics::SegmentationResult& result, std::size_t region) {
  std::map<std::string_view, std::size_t> seen;
  for (const metrics::CaseScores& c : result.cases)
    if (c.record.fate == metrics::Fate::scored) ++seen[status(c.labels[region])];
  Json out = Json::object();
  for (const std::string_view each : {"ok", "reference_empty", "prediction_empty", "both_empty",
                                      "missing_prediction", "missing_reference"})
    if (seen.contains(each)) out[std::string(each)] = seen[each];
  return out;
}

/// The specification's MetricResult: ddof 0, every value.
Json headline_block(std::string_view metric, const std::vector<metrics::Score>& scores) {
  std::vector<double> defined;
  Json values = Json::array();
  for (const metrics::Score& s : scores) {
    values.push_back(to_json(s));
    if (const auto x = value(s)) defined.push_back(*x);
  }
  const bool none = defined.empty();
  return {{"name", ascii_uppered(metric)},
          {"mean", none ? Json(nullptr) : Json(stats::mean(defined))},
          {"std", none ? Json(nullptr) : Json(stats::standard_deviation(defined, 0))},
          {"values", values}};
}

Json to_json(const metrics::Metric& metric, const metrics::Summary& s) {
  Json out = {{"direction", metrics::name(metric.better)},
              {"n", s.n},
              {"undefined", reasons_json(s.undefined)}};
  add_statistics(out, s);
  return out;
}

Json summary_block(const metrics::SegmentationResult& result, std::size_t metric,
                   const std::vector<metrics::Score>& scores) {
  const metrics::Metric& row = *result.settings.metrics[metric];
  return to_json(row, metrics::summary(scores, {row.range, result.settings.interval}));
}

/// What the model's failures are, and what they do to the mean.
void add_failures(Json& block, const metrics::Metric& metric,
                  const metrics::FailureEffect& effect) {
  block["failures"] = effect.failures;
  block["failure_counts_as"] = failure_json(metric);
  block["mean_with_failures"] = or_null(effect.mean_with);
  if (effect.failures == 0 || !effect.mean_with) return;
  block["mean_scored_only"] = or_null(effect.mean_without);
  block["mean_missing_as_worst"] = *effect.mean_with;  // its name in 0.1
}

Json metrics_block(const metrics::SegmentationResult& result) {
  Json out = Json::object();
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const metrics::ChosenMetric& metric = result.settings.metrics[m];
    Json block = summary_block(result, m, metrics::case_averages(result, m));
    if (const Json left_out = reasons_json(left_out_of_averages(result, m)); !left_out.empty())
      block["label_values_left_out"] = left_out;
    add_failures(block, *metric, metrics::failure_effect(result, m));
    out[metric.key] = block;
  }
  return out;
}

Json labels_block(const metrics::SegmentationResult& result) {
  Json out = Json::object();
  for (std::size_t r = 0; r < result.regions.size(); ++r) {
    const metrics::Region& region = result.regions[r];
    Json of_metrics = Json::object();
    for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
      const metrics::ChosenMetric& metric = result.settings.metrics[m];
      Json block = summary_block(result, m, metrics::region_scores(result, m, r));
      add_failures(block, *metric, metrics::failure_effect(result, m, r));
      of_metrics[metric.key] = block;
    }
    Json& label = append_member(out, region.key);
    label = {{"name", region.name},
             {"kind", region.is_union ? words::region : words::label},
             {"members", region.members},
             {"status", statuses(result, r)},
             {"metrics", of_metrics}};
    if (metrics::needs_lesions(result.settings)) {
      std::vector<const metrics::LesionEvidence*> lesions;
      for (const metrics::CaseScores& c : result.cases)
        if (c.record.fate == metrics::Fate::scored && c.labels[r].evidence.lesions)
          lesions.push_back(&*c.labels[r].evidence.lesions);
      label["lesion_sensitivity"] = sensitivity_json(lesions);
    }
    if (metrics::needs_probability(result.settings))
      label["threshold_sweep"] = sweep_json(result, r);
  }
  return out;
}

Json to_json(const metrics::LabelScores& label, const metrics::SegmentationResult& result,
             bool has_evidence) {
  Json out = Json::object(), undefined = Json::object();
  for (std::size_t m = 0; m < label.scores.size(); ++m) {
    const std::string& key = result.settings.metrics[m].key;
    out[key] = to_json(label.scores[m]);
    if (const auto* why = std::get_if<metrics::Undefined>(&label.scores[m]))
      undefined[key] = metrics::name(*why);
  }
  out["status"] = label.missing || has_evidence ? status(label) : words::counted_as_worst;
  out["undefined"] = undefined;
  if (has_evidence) {
    Json& evidence = out["evidence"];
    if (!label.evidence.is_uncut_map)
      for (const auto& [field, count] : words::counts)
        evidence[field] = label.evidence.counts.*count;
    evidence["voxel_ml"] = label.evidence.voxel_ml;
  }
  if (const auto& surfaces = label.evidence.boundary; has_evidence && surfaces)
    out["evidence"]["surface"] = {{"prediction", surfaces->prediction.weight},
                                  {"reference", surfaces->reference.weight}};
  if (has_evidence && label.evidence.lesions)
    out["lesions"] = lesions_json(*label.evidence.lesions, label.evidence.voxel_ml);
  if (has_evidence && label.evidence.probability)
    out["probability"] = probability_json(*label.evidence.probability);
  return out;
}

Json groups_json(const metrics::Groups& groups) {
  Json out = Json::object();
  for (const auto& [column, value] : groups) out[column] = value;
  return out;
}

/// Why the case has no average in some metrics, and which label is the reason.
Json undefined_averages(const metrics::CaseScores& scores,
                        const metrics::SegmentationResult& result) {
  Json out = Json::object();
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const metrics::CaseAverage average = metrics::average_of(scores, result.regions, m);
    const auto* why = std::get_if<metrics::Undefined>(&average.score);
    if (why == nullptr) continue;
    Json& entry = out[result.settings.metrics[m].key];
    entry = {{"reason", metrics::name(*why)},
             {"culprit", average.failed ? words::model : words::nobody}};
    if (!scores.labels.empty()) entry["label"] = result.regions[average.region].key;
  }
  return out;
}

Json to_json(const metrics::CaseScores& scores, const metrics::SegmentationResult& result) {
  const metrics::CaseRecord& record = scores.record;
  const bool ok = record.fate == metrics::Fate::scored;
  Json out = {{"id", record.id}, {"status", ok ? words::ok : words::failed}};
  if (!ok) {
    out["reason"] = metrics::name(record.fate);
    out["error"] = record.error;
    out["culprit"] = metrics::is_models_failure(record) ? words::model : words::nobody;
  }
  if (!record.warnings.empty()) out["warnings"] = record.warnings;
  out["groups"] = groups_json(record.groups);
  out["prediction"] = or_null(record.prediction);
  out["reference"] = or_null(record.reference);
  if (!record.image.empty()) out["image"] = record.image;
  if (ok) {
    if (!record.prediction.empty()) out["prediction_sha256"] = record.prediction_sha256;
    out["reference_sha256"] = record.reference_sha256;
    if (!record.image.empty()) out["image_sha256"] = record.image_sha256;
  }
  if (record.diagonal_mm > 0) out["diagonal_mm"] = record.diagonal_mm;
  if (metrics::is_counted(scores)) out["undefined"] = undefined_averages(scores, result);
  Json labels = Json::object();
  for (std::size_t r = 0; r < scores.labels.size(); ++r)
    append_member(labels, result.regions[r].key) =
        to_json(scores.labels[r], result, ok && !scores.labels[r].missing);
  out["label"] = labels;
  return out;
}

/// Scored cases without an average, by metric: in all, and by the model's fault.
Json undefined_cases(const metrics::SegmentationResult& result) {
  Json out = Json::object();
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    std::size_t undefined = 0, by_model = 0;
    for (const metrics::CaseScores& scores : result.cases) {
      if (scores.record.fate != metrics::Fate::scored) continue;
      const metrics::CaseAverage average = metrics::average_of(scores, result.regions, m);
      if (value(average.score)) continue;
      ++undefined;
      if (average.failed) ++by_model;
    }
    if (undefined != 0)
      out[result.settings.metrics[m].key] = {{"cases", undefined}, {"by_model", by_model}};
  }
  return out;
}

/// Settings that only surface metrics depend on; absent if there are no such metrics.
void add_boundary_settings(Json& out, const metrics::ScoreSettings& s) {
  if (!metrics::needs_boundary(s)) return;
  constexpr std::string_view elements[] = {"border voxels", "surfels", "faces"};
  for (const metrics::ChosenMetric& m : s.metrics)
    if (m.key == "nsd") out["nsd_tolerance_mm"] = m.argument;
  out["surface"] = elements[static_cast<std::size_t>(s.convention->surface.elements)];
  out["distance_to_an_empty_mask"] =
      s.missing == metrics::Missing::worst ? "the image's diagonal" : "undefined, and counted";
}

Json to_json(const metrics::ScoreSettings& s, std::span<const metrics::Region> scored) {
  Json names = Json::array(), regions = Json::object(), averaged = Json::array();
  for (const metrics::ChosenMetric& m : s.metrics) names.push_back(m.key);
  for (const metrics::Region& r : s.regions) regions[r.key] = r.members;
  for (const std::size_t r : metrics::averaged_regions(scored)) averaged.push_back(scored[r].key);
  Json out = {{"label_average", "mean over " + metrics::averaged_words(scored)},
              {"averaged", averaged},
              {"metrics", names},
              {"convention", s.convention->name},
              {"outside_convention", metrics::not_covered(*s.convention, s.metrics)},
              {"beta", s.beta},
              {"dice_smooth", s.convention->dice_smooth},
              {"labels", s.all_labels ? Json("all") : regions},
              {"ignore_label", or_null(s.ignored)},
              {"threshold", or_null(s.threshold)},
              {"missing", name_in(metrics::missing_rules(), s.missing)},
              {"ci_method", metrics::name(s.interval)},
              {"allow_affine_mismatch", s.allow_affine_mismatch},
              {"compat", s.compat_spec ? Json(words::spec) : Json(nullptr)}};
  if (s.source)
    out["prediction"] = {{"backend", s.source->backend},
                         {"model_sha256", s.source->sha256},
                         {"recipe", s.source->recipe},
                         {"recipe_sha256", s.source->recipe_sha256},
                         {"space", s.source->space}};
  if (s.contours) out["contours"] = contour_settings_json(s.contours);
  if (s.foreground_nonzero) out["foreground"] = words::nonzero;
  add_boundary_settings(out, s);
  if (metrics::needs_lesions(s)) out["lesions"] = lesion_settings_json(s.lesions);
  if (metrics::needs_probability(s)) out["probability"] = probability_settings_json();
  return out;
}

Json to_json(const Provenance& p, const metrics::SegmentationResult& result) {
  Json out = provenance_json(p);
  out["inputs_sha256"] = inputs_sha256(result);
  return out;
}

}  // namespace

void write_results_text(const metrics::SegmentationResult& result, const Provenance& provenance,
                        const TextSink& sink) {
  JsonObjectWriter out(sink, {.python_tokens = result.settings.compat_spec});
  out.member("schema", segmentation_schema);
  out.member("model_name", result.settings.model_name);
  // The specification's reader needs these three, whatever else was asked for.
  const auto headline = metrics::chosen_metrics(joined(headline_metrics, ","));
  const auto averages = metrics::averages_under(result, headline);
  for (std::size_t m = 0; m < headline.size(); ++m)
    out.member(headline[m].key, headline_block(headline[m].key, averages[m]));
  out.member("num_samples", std::ranges::count_if(result.cases, metrics::is_counted));
  out.member("metrics", metrics_block(result));
  out.member("labels", labels_block(result));
  out.list("cases", [&](const auto& add) {
    for (const metrics::CaseScores& c : result.cases) add(to_json(c, result));
  });
  out.member("ledger", ledger_json(result.ledger, undefined_cases(result)));
  if (!result.warnings.empty()) out.member("warnings", result.warnings);
  out.member("settings", to_json(result.settings, result.regions));
  out.member("provenance", to_json(provenance, result));
  out.end();
}

std::string results_text(const metrics::SegmentationResult& result, const Provenance& provenance) {
  std::string text;
  write_results_text(result, provenance, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string settings_sha256(const metrics::ScoreSettings& settings) {
  return sha256(to_text(to_json(settings, settings.regions), {.indent = 0}));
}

std::string inputs_sha256(const metrics::SegmentationResult& result) {
  Sha256 hash;
  const auto add_line = [&](const std::string& part) {
    hash.add(part);
    hash.add("\n");
  };
  for (const metrics::CaseScores& c : result.cases)
    for (const std::string* part : {&c.record.id, &c.record.prediction, &c.record.reference,
                                    &c.record.prediction_sha256, &c.record.reference_sha256})
      add_line(*part);
  for (const metrics::CaseScores& c : result.cases) {
    if (c.record.image.empty()) continue;
    add_line(c.record.image);
    add_line(c.record.image_sha256);
  }
  return hash.hex();
}

}  // namespace assay::results
