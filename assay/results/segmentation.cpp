// SPDX-License-Identifier: Apache-2.0
#include "assay/results/segmentation.hpp"

#include <algorithm>
#include <map>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_append.hpp"
#include "assay/base/named.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/image/label_table.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/results/evidence_json.hpp"
#include "assay/results/own_metric_json.hpp"
#include "assay/results/provenance.hpp"
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

/// How many scored cases have this label in each state.
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

/// How many failures the model has, and how they change the mean.
void add_failures(Json& block, const metrics::Metric& metric,
                  const metrics::FailureEffect& effect) {
  block["failures"] = effect.failures;
  block["failure_counts_as"] = failure_json(metric);
  block["mean_with_failures"] = or_null(effect.mean_with);
  if (effect.failures == 0 || !effect.mean_with) return;
  block["mean_scored_only"] = or_null(effect.mean_without);
  block["mean_missing_as_worst"] = *effect.mean_with;  // the name in 0.1
}

/// An object with one block per metric. `block_of` makes each from the metric's index.
template <class BlockOf>
Json by_metric(const metrics::SegmentationResult& result, const Executor& executor,
               BlockOf block_of) {
  std::vector<Json> blocks(result.settings.metrics.size());
  run_tasks(executor, blocks.size(), [&](std::size_t m) { blocks[m] = block_of(m); });
  Json out = Json::object();
  for (std::size_t m = 0; m < blocks.size(); ++m)
    append_member(out, result.settings.metrics[m].key) = std::move(blocks[m]);
  return out;
}

Json metrics_block(const metrics::SegmentationResult& result, const Executor& executor) {
  return by_metric(result, executor, [&](std::size_t m) {
    Json block = summary_block(result, m, metrics::case_averages(result, m));
    if (const Json left_out = reasons_json(left_out_of_averages(result, m)); !left_out.empty())
      block["label_values_left_out"] = left_out;
    add_failures(block, *result.settings.metrics[m], metrics::failure_effect(result, m));
    return block;
  });
}

Json labels_block(const metrics::SegmentationResult& result, const Executor& executor) {
  Json out = Json::object();
  for (std::size_t r = 0; r < result.regions.size(); ++r) {
    const metrics::Region& region = result.regions[r];
    Json of_metrics = by_metric(result, executor, [&](std::size_t m) {
      Json block = summary_block(result, m, metrics::region_scores(result, m, r));
      add_failures(block, *result.settings.metrics[m], metrics::failure_effect(result, m, r));
      return block;
    });
    Json& label = append_member(out, region.key);
    label = {{"name", region.name},
             {"kind", region.is_union ? words::region : words::label},
             {"members", region.members},
             {"status", statuses(result, r)},
             {"metrics", of_metrics}};
    if (region.color) label["color"] = hex_text(*region.color);
    if (metrics::needs_lesions(result.settings) &&
        result.settings.unit == metrics::LengthUnit::mm) {
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

void write_evidence(JsonMembers& out, const metrics::Evidence& evidence) {
  if (!evidence.is_uncut_map)
    for (const auto& [field, count] : words::counts) out.add(field, evidence.counts.*count);
  out.add("voxel_ml", evidence.voxel_ml);
  if (evidence.boundary)
    out.add_object("surface", [&](JsonMembers& surface) {
      surface.add("prediction", evidence.boundary->prediction.weight);
      surface.add("reference", evidence.boundary->reference.weight);
    });
}

/// What the user's own metrics reported instead of a value; absent if they reported nothing.
void write_messages(JsonMembers& out, const metrics::Evidence& evidence) {
  Json messages = Json::object();
  if (evidence.own)
    for (const auto& [metric, found] : *evidence.own)
      if (!found.message.empty()) messages[metric] = found.message;
  if (!messages.empty()) out.add("messages", messages);
}

void write_label(JsonMembers& out, const metrics::LabelScores& label,
                 const metrics::SegmentationResult& result, bool has_evidence) {
  const metrics::Evidence& evidence = label.evidence;
  for (std::size_t m = 0; m < label.scores.size(); ++m)
    out.add(result.settings.metrics[m].key, to_json(label.scores[m]));
  out.add("status", label.missing || has_evidence ? status(label) : words::counted_as_worst);
  out.add_object("undefined", [&](JsonMembers& undefined) {
    for (std::size_t m = 0; m < label.scores.size(); ++m)
      if (const auto* why = std::get_if<metrics::Undefined>(&label.scores[m]))
        undefined.add(result.settings.metrics[m].key, metrics::name(*why));
  });
  if (!has_evidence) return;
  write_messages(out, evidence);
  out.add_object("evidence", [&](JsonMembers& members) { write_evidence(members, evidence); });
  if (evidence.lesions) out.add("lesions", lesions_json(*evidence.lesions, evidence.voxel_ml));
  if (evidence.probability) out.add("probability", probability_json(*evidence.probability));
}

Json groups_json(const metrics::Groups& groups) {
  Json out = Json::object();
  for (const auto& [column, value] : groups) out[column] = value;
  return out;
}

/// Why the case has no average in some metrics, and because of which label.
void write_undefined_averages(JsonMembers& out, const metrics::CaseScores& scores,
                              const metrics::SegmentationResult& result) {
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const metrics::CaseAverage average = metrics::average_of(scores, result.regions, m);
    const auto* why = std::get_if<metrics::Undefined>(&average.score);
    if (why == nullptr) continue;
    out.add_object(result.settings.metrics[m].key, [&](JsonMembers& entry) {
      entry.add("reason", metrics::name(*why));
      entry.add("culprit", average.failed ? words::model : words::nobody);
      if (!scores.labels.empty()) entry.add("label", result.regions[average.region].key);
    });
  }
}

/// What is known about the files of a case.
void write_files(JsonMembers& out, const metrics::CaseRecord& record) {
  out.add("prediction", or_null(record.prediction));
  out.add("reference", or_null(record.reference));
  if (!record.image.empty()) out.add("image", record.image);
  if (record.fate != metrics::Fate::scored) return;
  if (!record.prediction.empty()) out.add("prediction_sha256", record.prediction_sha256);
  out.add("reference_sha256", record.reference_sha256);
  if (!record.image.empty()) out.add("image_sha256", record.image_sha256);
}

void write_case(JsonMembers& out, const metrics::CaseScores& scores,
                const metrics::SegmentationResult& result) {
  const metrics::CaseRecord& record = scores.record;
  const bool ok = record.fate == metrics::Fate::scored;
  out.add("id", record.id);
  out.add("status", ok ? words::ok : words::failed);
  if (!ok) {
    out.add("reason", metrics::name(record.fate));
    out.add("error", record.error);
    out.add("culprit", metrics::is_models_failure(record) ? words::model : words::nobody);
  }
  if (!record.warnings.empty()) out.add("warnings", record.warnings);
  out.add("groups", groups_json(record.groups));
  write_files(out, record);
  if (record.diagonal_mm > 0) out.add("diagonal_mm", record.diagonal_mm);
  if (const auto& each = record.resampling)
    out.add("resampled", Json{{"from", each->from},
                              {"labelled_voxels_before", each->before},
                              {"labelled_voxels_after", each->after},
                              {"changed_voxels", each->changed}});
  if (metrics::is_counted(scores))
    out.add_object("undefined", [&](JsonMembers& undefined) {
      write_undefined_averages(undefined, scores, result);
    });
  out.add_object("label", [&](JsonMembers& labels) {
    for (std::size_t r = 0; r < scores.labels.size(); ++r)
      labels.add_object(result.regions[r].key, [&](JsonMembers& label) {
        write_label(label, scores.labels[r], result, ok && !scores.labels[r].missing);
      });
  });
}

/// Scored cases without an average, by metric: all of them, and those that are the model's fault.
Json undefined_cases(const metrics::SegmentationResult& result, const Executor& executor) {
  Json all = by_metric(result, executor, [&](std::size_t m) {
    std::size_t undefined = 0, by_model = 0;
    for (const metrics::CaseScores& scores : result.cases) {
      if (scores.record.fate != metrics::Fate::scored) continue;
      const metrics::CaseAverage average = metrics::average_of(scores, result.regions, m);
      if (value(average.score)) continue;
      ++undefined;
      if (average.failed) ++by_model;
    }
    return undefined == 0 ? Json() : Json{{"cases", undefined}, {"by_model", by_model}};
  });
  Json out = Json::object();
  for (const auto& [metric, counts] : all.items())
    if (!counts.is_null()) out[metric] = counts;
  return out;
}

/// Settings that only surface metrics depend on; absent if there are no such metrics.
void add_boundary_settings(Json& out, const metrics::ScoreSettings& s) {
  if (!metrics::needs_boundary(s)) return;
  constexpr std::string_view elements[] = {"border voxels", "surfels", "faces"};
  for (const metrics::ChosenMetric& m : s.metrics)
    if (m.key == "nsd") out["nsd_tolerance_" + std::string(metrics::name(s.unit))] = m.argument;
  out["surface"] = elements[static_cast<std::size_t>(s.convention->surface.elements)];
  out["distance_to_an_empty_mask"] =
      s.missing == metrics::Missing::worst ? "the image's diagonal" : "undefined, and counted";
}

/// The settings for pictures and arrays; absent if there are none.
void add_picture_settings(Json& out, const metrics::ScoreSettings& s) {
  if (s.pictures.uses_stated_size) out["spacing"] = words::of_file;
  if (s.pictures.size_mm) out["spacing"] = *s.pictures.size_mm;
  for (const LabelRow& row : s.pictures.colors)
    object_member(out, "colors")[hex_text(*row.color)] = row.label;
  if (s.prediction_level != 0 || s.pictures.level != 0)
    out["level"] = {{"prediction", s.prediction_level}, {"reference", s.pictures.level}};
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
              {"compat", s.compat_spec ? Json(words::spec) : Json(nullptr)},
              {"unit", metrics::name(s.unit)}};
  if (Json own = own_metrics_json(s.metrics); !own.empty()) out["own_metrics"] = std::move(own);
  if (s.source)
    out["prediction"] = {{"backend", s.source->backend},
                         {"model_sha256", s.source->sha256},
                         {"recipe", s.source->recipe},
                         {"recipe_sha256", s.source->recipe_sha256},
                         {"space", s.source->space}};
  if (s.contours) out["contours"] = contour_settings_json(s.contours);
  if (s.foreground_nonzero) out["foreground"] = words::nonzero;
  add_picture_settings(out, s);
  if (s.volumes != metrics::VolumeRule::automatic)
    out["volumes"] = name_in(metrics::volume_rules(), s.volumes);
  if (s.resampled != metrics::Resampled::nothing) {
    out["resample"] = name_in(metrics::resampled_sides(), s.resampled);
    out["interpolation"] = name_in(metrics::interpolations(), s.interpolation);
  }
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
                        const TextSink& sink, const Executor& executor) {
  JsonObjectWriter out(sink, {.python_tokens = result.settings.compat_spec});
  out.member("schema", segmentation_schema);
  out.member("model_name", result.settings.model_name);
  // The specification's reader needs these three, whatever else was asked for.
  const auto headline = metrics::chosen_metrics(joined(headline_metrics, ","));
  const auto averages = metrics::averages_under(result, headline, executor);
  for (std::size_t m = 0; m < headline.size(); ++m)
    out.member(headline[m].key, headline_block(headline[m].key, averages[m]));
  out.member("num_samples", std::ranges::count_if(result.cases, metrics::is_counted));
  out.member("metrics", metrics_block(result, executor));
  out.member("labels", labels_block(result, executor));
  out.list(
      "cases", result.cases.size(),
      [&](std::size_t i, JsonMembers& one) { write_case(one, result.cases[i], result); }, executor);
  out.member("ledger", ledger_json(result.ledger, undefined_cases(result, executor)));
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
