// SPDX-License-Identifier: Apache-2.0
#include "cli/score_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "assay/base/error.hpp"

namespace assay::cli {
namespace {

std::string convention_help() {
  std::string out;
  for (const metrics::Convention& c : metrics::conventions())
    out += fmt::format("{}{}", c.name, out.empty() ? " (default)" : "") +
           (&c == &metrics::conventions().back() ? "" : ", ");
  return out;
}

constexpr std::string_view group_of_spec = "paper";

std::string metrics_help() {
  std::string groups;
  for (const std::string_view group : metrics::metric_groups())
    groups += fmt::format("{}{}, ", group, group == metrics::default_group ? " (default)" : "");
  return fmt::format(
      "{}or names such as dice,hd95; see 'assay metrics' (default with --compat spec: {})", groups,
      group_of_spec);
}

/// The tolerances of a list in mm.
std::vector<double> tolerances_of(const std::string& list) {
  std::vector<double> out;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto found = metrics::metric_of_key("nsd@" + part + "mm");
    if (!found)
      throw Error(
          Error::Kind::usage,
          "--nsd-tolerance takes numbers from 0 on in mm, such as 1,2; '" + part + "' is none");
    out.push_back(found->argument);
  }
  if (out.empty())
    throw Error(Error::Kind::usage, "--nsd-tolerance takes numbers in mm, such as 1,2");
  return out;
}

/// The convention's, but for what is asked for.
metrics::LesionSettings lesions_of(const ScoreOptions& o, const metrics::Convention& by) {
  if (o.min_lesion_ml && !(*o.min_lesion_ml >= 0 && std::isfinite(*o.min_lesion_ml)))
    throw Error(Error::Kind::usage, "--min-lesion-ml must be 0 or more, such as 0.01");
  metrics::LesionSettings out = by.lesions;
  if (!o.lesion_rule.empty())
    out.rule = value_in(metrics::lesion_rules(), o.lesion_rule, "lesion rule");
  if (!o.connectivity.empty())
    out.connectivity = static_cast<metrics::Connectivity>(std::stoi(o.connectivity));
  out.least_ml = o.min_lesion_ml.value_or(out.least_ml);
  return out;
}

}  // namespace

void declare_cohort_options(Arguments& a, ScoreOptions& o) {
  a.option("--ref-pattern PATTERN", o.ref_pattern, "Names of references");
  a.option("--model NAME", o.model, "Name in the results (default: the prediction folder's)");
  a.option("--labels LIST|all", o.labels, "Labels to score, such as 1,2,3 (default: value > 0)");
  a.option("--region NAME=LIST", o.regions, "A union of labels, such as whole=1,2,4; repeatable");
  a.option("--ignore-label N", o.ignore_label, "Voxels whose reference is N leave every count");
  a.choice("--foreground", o.foreground, {"nonzero"},
           "Count every value but 0 as foreground, also of maps (default: value > 0 of masks)");
  a.option("--dataset-json FILE", o.dataset_json,
           "nnU-Net's labels (default: dataset.json beside the predictions)");
  a.option("--groups FILE", o.groups, groups_help);
}

void declare_metric_options(Arguments& a, ScoreOptions& o) {
  a.option("--metrics LIST", o.metrics, metrics_help());
  a.option("--convention NAME", o.convention, convention_help());
  a.option("--nsd-tolerance LIST", o.nsd_tolerance,
           "Tolerances of nsd in mm; a second one is nsd@2mm (default: 1)");
  a.choice("--lesion-rule", o.lesion_rule, {"any", "brats", "anima", "iou"},
           "When a lesion counts as found (default: the convention's rule, or any)");
  a.choice("--connectivity", o.connectivity, {"6", "18", "26"},
           "Neighbours within a lesion (default: 26)");
  a.option("--min-lesion-ml V", o.min_lesion_ml,
           "Leave out smaller lesions (default: the convention's limit, or 0)");
  a.option("--beta B", o.beta, "Weight of recall in fbeta");
  a.choice("--missing", o.missing, {"exclude", "worst", "error"},
           "What a missing, unreadable or wrong-grid prediction counts");
  a.choice("--ci", o.ci, {"t", "bca"},
           "Intervals of means: Student's t, or a BCa bootstrap (2000 resamples, seed 42)");
  a.flag("--allow-affine-mismatch", o.allow_affine_mismatch,
         "Compare in storage order where the affines disagree");
  a.choice("--compat", o.compat, {"spec"}, "The specification's numbers and JSON tokens");
  a.choice("--format", o.format, {"json", "nnunet"}, "Layout of --out and --json");
  a.option("--csv FILE", o.csv, "Also write model,case,label,metric,value,status and the groups");
  a.flag("--anonymous", o.anonymous, "No host and no folders in the provenance");
  a.flag("--resume", o.resume, "Go on where an interrupted run with the same --out stopped");
  a.flag("--keep-journal", o.keep_journal, "Keep the journal of a complete run (OUT.journal)");
}

metrics::ScoreSettings settings_of(const ScoreOptions& o) {
  if (!o.compat.empty() && !o.convention.empty() && o.convention != "spec")
    throw Error(Error::Kind::usage, "--compat spec sets the convention; drop --convention");
  if (!(o.beta > 0 && o.beta <= 1000))
    throw Error(Error::Kind::usage, "--beta must be above 0, and at most 1000");
  metrics::ScoreSettings s;
  s.compat_spec = !o.compat.empty();
  const std::string list(!o.metrics.empty() ? o.metrics
                         : s.compat_spec    ? group_of_spec
                                            : metrics::default_group);
  s.metrics = metrics::chosen_metrics(list, tolerances_of(o.nsd_tolerance));
  s.marks_reliable = metrics::asks_for(list, "paper");
  const std::string named = s.compat_spec ? "spec" : o.convention;
  s.convention = named.empty() ? &metrics::conventions().front() : &metrics::convention(named);
  s.beta = o.beta;
  s.foreground_nonzero = !o.foreground.empty();
  s.lesions = lesions_of(o, *s.convention);
  if (o.ignore_label) s.ignored = static_cast<Label>(*o.ignore_label);
  s.missing = o.missing == "worst"   ? metrics::Missing::worst
              : o.missing == "error" ? metrics::Missing::error
                                     : metrics::Missing::exclude;
  s.interval = o.ci == "bca" ? metrics::MeanInterval::bca : metrics::MeanInterval::t;
  s.allow_affine_mismatch = o.allow_affine_mismatch;
  return s;
}

score::CohortRequest request_of(const ScoreOptions& o) {
  score::CohortRequest r = {.prediction = {}, .reference = o.ref};
  r.reference_pattern = o.ref_pattern;
  r.model_name = o.model;
  r.labels = o.labels;
  r.regions = o.regions;
  r.dataset_json = o.dataset_json;
  r.groups = o.groups;
  return r;
}

}  // namespace assay::cli
