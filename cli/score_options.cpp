// SPDX-License-Identifier: Apache-2.0
#include "cli/score_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/own_metric.hpp"
#include "assay/score/own_command.hpp"
#include "cli/provenance.hpp"

namespace assay::cli {
namespace {

constexpr std::string_view group_of_spec = "paper";

constexpr std::array<Named<bool>, 1> foregrounds = {{{"nonzero", true}}};

std::string metrics_help() {
  return fmt::format(
      "Groups ({}) or metrics such as dice,hd95; 'assay metrics' lists them (default: {}; with "
      "--compat spec: {})",
      joined(metrics::metric_groups()), metrics::default_group, group_of_spec);
}

std::string convention_help() {
  const std::vector<std::string> names = names_in(metrics::conventions());
  return with_default("Rules for what definitions leave open: " + joined(names), names.front());
}

std::string interval_help() {
  return fmt::format(
      "Confidence intervals of means: Student's t, or a BCa bootstrap with {} resamples",
      metrics::bca_replicates);
}

/// The text of a default that a convention may change.
template <class Value>
std::string by_convention(const std::string& help, const Value& value) {
  return fmt::format("{} (default: the convention's, usually {})", help, value);
}

/// The settings of the convention, except for those that were asked for.
metrics::LesionSettings lesions_of(const ScoreOptions& o, const metrics::Convention& by) {
  if (o.min_lesion_ml && !(*o.min_lesion_ml >= 0 && std::isfinite(*o.min_lesion_ml)))
    throw Error(Error::Kind::usage, "--min-lesion-ml must be 0 or more, such as 0.01");
  metrics::LesionSettings out = by.lesions;
  out.rule = o.lesion_rule.value_or(out.rule);
  out.connectivity = o.connectivity.value_or(out.connectivity);
  out.least_ml = o.min_lesion_ml.value_or(out.least_ml);
  return out;
}

void declare_labels(Arguments& a, ScoreOptions& o) {
  a.heading("Masks and labels");
  a.option("--labels LIST|all", o.labels,
           "Labels to score, such as 1,2,3 (default: one mask, value > 0)");
  a.repeatable("--region NAME=LIST", o.regions,
               "Union of labels to score, such as whole=1,2,4; repeatable");
  a.option("--ignore-label N", o.settings.ignored, "Exclude voxels whose reference label is N");
  a.option("--dataset-json FILE", o.dataset_json,
           "nnU-Net's names of labels and regions (default: dataset.json next to the predictions)");
  a.option("--label-names FILE", o.label_names,
           "Names and colours of labels: CSV, TSV, FreeSurfer's or ITK-SNAP's table, 3D Slicer's "
           ".ctbl, dataset.json");
  a.choice("--volumes", o.volumes, metrics::volume_rules(),
           "What the volumes of a 4-D file are: masks of labels, scores of classes, or points in "
           "time (default: auto; in predictions, probabilities of classes)");
  a.choice("--foreground", o.settings.foreground_nonzero, foregrounds,
           "Count every value except 0 as foreground, in maps too (default: value > 0, in masks)");
}

void declare_pictures(Arguments& a, ScoreOptions& o) {
  a.heading("Pictures and arrays");
  a.option(
      "--spacing X,Y[,Z]|file", o.spacing,
      "Size of a pixel in mm, for pictures and arrays only, or 'file' for what each file states "
      "(default: pixels are the unit of length)");
  a.option("--colors FILE", o.colors,
           "Table with the columns value, r, g, b: the label that each colour means");
  a.option("--level N|P,R", o.level,
           "Level of pyramids in TIFF and OME-Zarr to score, or one level for predictions and one "
           "for references (default: the full picture)");
}

void declare_grids(Arguments& a, ScoreOptions& o) {
  a.heading("Other grids");
  a.choice("--resample", o.resampled, metrics::resampled_sides(),
           "Resample the labels of one image to the grid of the other (default: none; different "
           "grids are an error)");
  a.choice("--interpolation", o.settings.interpolation, metrics::interpolations(),
           "How labels are resampled: nearest voxel, or largest weight after linear interpolation");
}

void declare_contours(Arguments& a, ScoreOptions& o) {
  a.heading("Contours (RTSTRUCT)");
  a.choice("--contour-rule", o.contours.rule, raster_rules(),
           "Which voxels a contour contains: those whose centre is inside, or those that another "
           "program would choose");
  a.choice("--contour-gaps", o.contours.gaps, contour_gaps(),
           "How to treat slices that have no contour but lie between two that have one");
  a.repeatable("--dicom-images FOLDER", o.settings.image_folders,
               "Folder with the images that contours were drawn on (default: next to the contours, "
               "or their study's folder); repeatable");
}

void declare_metrics(Arguments& a, ScoreOptions& o) {
  constexpr metrics::LesionSettings usual;
  a.heading("Metrics");
  a.option("--metrics LIST", o.metrics, metrics_help());
  a.repeatable("--own-metric FILE", o.own_metrics,
               "Metric of your own: a TOML file with its declaration and the command that computes "
               "it; repeatable");
  a.option("--convention NAME", o.convention, convention_help());
  a.option(
      "--nsd-tolerance LIST", o.nsd_tolerances,
      "Tolerances of nsd, in mm (in pixels if the pixel size is unknown); each additional one adds "
      "a metric such as nsd@2mm");
  a.choice("--lesion-rule", o.lesion_rule, metrics::lesion_rules(),
           by_convention("When a lesion counts as found", name(usual.rule)));
  a.choice("--connectivity", o.connectivity, metrics::connectivities(),
           by_convention("Neighbours of a voxel within a lesion",
                         name_in(metrics::connectivities(), usual.connectivity)));
  a.option("--min-lesion-ml V", o.min_lesion_ml,
           by_convention("Exclude lesions smaller than V mL", usual.least_ml));
  a.option("--beta B", o.settings.beta, "Weight of recall in fbeta");
  a.choice("--ci", o.settings.interval, metrics::mean_intervals(), interval_help());
}

void declare_output(Arguments& a, ScoreOptions& o) {
  a.heading("Missing and failed cases");
  a.choice("--missing", o.missing, metrics::missing_rules(),
           with_default("What a missing, unreadable or wrong-grid prediction counts as",
                        name_in(metrics::missing_rules(), o.settings.missing)));
  a.flag("--allow-affine-mismatch", o.settings.allow_affine_mismatch,
         "Compare voxels in storage order where the affines disagree");
  a.heading("Output");
  a.option(
      "--model NAME", o.model,
      "Name of the model in the results (default: that of the predictions or of the model file)");
  a.option("--csv FILE", o.csv,
           "Also write a table with model,case,label,metric,value,status and the groups");
  a.repeatable("--log-to TRACKER=PLACE", o.trackers,
               "Also write the means for an experiment tracker: mlflow=mlruns, tensorboard=runs or "
               "csv=runs.csv; repeatable");
  a.choice("--format", o.nnunet, layouts, "Layout of --out and --json");
  a.choice("--compat", o.settings.compat_spec, specification,
           "Write the specification's numbers and JSON tokens");
  a.flag("--anonymous", o.anonymous, anonymous_help);
  a.heading("Running");
  a.option("--max-memory SIZE", o.max_memory, max_memory_help);
  a.flag("--resume", o.resume, "Continue an interrupted run with the same --out");
  a.flag("--keep-journal", o.keep_journal,
         "Keep the journal (OUT.journal) even if every case was scored");
  a.choice("--reader", o.settings.reader, voxel_readers(),
           "How compressed masks are read; results are the same to the bit");
}

/// "file", or two or three sizes in mm.
void set_spacing(PictureRules& to, const std::string& text) {
  if (text.empty()) return;
  to.uses_stated_size = text == "file";
  if (to.uses_stated_size) return;
  const std::vector<std::string_view> parts = parts_of(text, ',');
  Point mm{};
  bool is_right = parts.size() == 2 || parts.size() == 3;
  for (std::size_t axis = 0; is_right && axis < parts.size(); ++axis) {
    const char* last = parts[axis].data() + parts[axis].size();
    const auto read = std::from_chars(parts[axis].data(), last, mm[axis]);
    is_right = read.ec == std::errc{} && read.ptr == last && mm[axis] > 0 && mm[axis] < 1e6;
  }
  if (!is_right)
    throw Error(Error::Kind::usage,
                "'" + text +
                    "' is not a pixel size; write --spacing x,y or x,y,z in mm, such as 0.5,0.5, "
                    "or --spacing file");
  to.size_mm = mm;
}

/// One level for both sides, or one for each.
void set_levels(metrics::ScoreSettings& to, const std::string& text) {
  if (text.empty()) return;
  const std::vector<std::string_view> parts = parts_of(text, ',');
  std::array<std::size_t, 2> levels{};
  bool is_right = parts.size() <= levels.size();
  for (std::size_t i = 0; is_right && i < parts.size(); ++i) {
    const char* last = parts[i].data() + parts[i].size();
    const auto read = std::from_chars(parts[i].data(), last, levels[i]);
    is_right = read.ec == std::errc{} && read.ptr == last && levels[i] < 100;
  }
  if (!is_right)
    throw Error(Error::Kind::usage,
                "'" + text +
                    "' is not a level; write --level 2, or --level 0,2 for level 0 of "
                    "predictions and level 2 of references");
  to.prediction_level = levels.front();
  to.pictures.level = parts.size() == 2 ? levels.back() : levels.front();
}

std::vector<Label> labels_in(std::string_view text) {
  std::vector<Label> out;
  for (const std::string_view part : parts_of(text, ',')) {
    const char* last = part.data() + part.size();
    const auto read = std::from_chars(part.data(), last, out.emplace_back());
    if (read.ec != std::errc{} || read.ptr != last)
      throw Error(Error::Kind::usage,
                  "'" + std::string(part) + "' is not a label; write whole numbers, such as 1,2,3");
  }
  return out;
}

}  // namespace

score::LabelChoice Kind<score::LabelChoice>::value(const std::string& text) {
  if (text == "all") return {.all = true};
  return {.listed = labels_in(text)};
}

metrics::Region Kind<metrics::Region>::value(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(Error::Kind::usage,
                "'" + text + "' is not NAME=LABELS; write, for example, whole=1,2,4");
  const std::string name = text.substr(0, equals);
  std::vector<Label> members = labels_in(std::string_view(text).substr(equals + 1));
  std::ranges::sort(members);
  return {.key = name, .name = name, .members = std::move(members), .is_union = true};
}

TrackerTarget Kind<TrackerTarget>::value(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const results::WriteTracked write = value_in(results::trackers(), name, "tracker");
  if (equals == std::string::npos || equals + 1 == text.size())
    throw Error(Error::Kind::usage, "'" + text + "' has no destination; write, for example, " +
                                        name + (name == "csv" ? "=runs.csv" : "=runs"));
  return {write, text.substr(equals + 1)};
}

void declare_score_options(Arguments& a, ScoreOptions& o) {
  a.heading("Input");
  a.option("--ref-pattern PATTERN", o.ref_pattern, "File names of references");
  a.option("--groups FILE", o.groups, groups_help);
  declare_labels(a, o);
  declare_metrics(a, o);
  declare_output(a, o);
  declare_shard_options(a, o.shard);
  declare_pictures(a, o);
  declare_grids(a, o);
  declare_contours(a, o);
}

std::vector<std::shared_ptr<const metrics::OwnMetric>> open_own_metrics(
    const ScoreOptions& o, std::vector<std::shared_ptr<const metrics::OwnMetric>> of_caller) {
  std::vector<std::shared_ptr<const metrics::OwnMetric>> out = std::move(of_caller);
  for (const std::string& file : o.own_metrics) {
    auto opened = score::open_own_metric(file);
    for (const auto& other : out)
      if (other->declared.name == opened->declared.name)
        throw Error(Error::Kind::usage, file,
                    "there are two metrics called '" + opened->declared.name +
                        "'; give one of them another name");
    out.push_back(std::move(opened));
  }
  return out;
}

metrics::ScoreSettings settings_of(const ScoreOptions& o,
                                   std::span<const std::shared_ptr<const metrics::OwnMetric>> own) {
  metrics::ScoreSettings s = o.settings;
  s.contours = o.contours;
  s.missing = o.missing.value_or(s.missing);
  s.resampled = o.resampled.value_or(s.resampled);
  s.volumes = o.volumes.value_or(s.volumes);
  if (s.compat_spec && !o.convention.empty() && o.convention != "spec")
    throw Error(Error::Kind::usage, "--compat spec sets the convention; drop --convention");
  if (!(s.beta > 0 && s.beta <= 1000))
    throw Error(Error::Kind::usage, "--beta must be above 0, and at most 1000");
  for (const double tolerance : o.nsd_tolerances)
    if (!metrics::metric_of_key(fmt::format("nsd@{}mm", tolerance)))
      throw Error(Error::Kind::usage,
                  "--nsd-tolerance takes numbers of 0 or more, in mm, such as 1,2");
  const std::string list(!o.metrics.empty() ? o.metrics
                         : s.compat_spec    ? group_of_spec
                                            : metrics::default_group);
  s.metrics = metrics::chosen_metrics(list, o.nsd_tolerances, own);
  s.marks_reliable = metrics::asks_for(list, "paper");
  const std::string named = s.compat_spec ? "spec" : o.convention;
  s.convention = named.empty() ? &metrics::conventions().front() : &metrics::convention(named);
  s.lesions = lesions_of(o, *s.convention);
  set_spacing(s.pictures, o.spacing);
  set_levels(s, o.level);
  return s;
}

score::CohortRequest request_of(const ScoreOptions& o) {
  score::CohortRequest r = {.prediction = {}, .reference = o.ref};
  r.reference_pattern = o.ref_pattern;
  r.model_name = o.model;
  r.labels = o.labels;
  r.regions = o.regions;
  r.dataset_json = o.dataset_json;
  r.label_names = o.label_names;
  r.colors = o.colors;
  r.groups = o.groups;
  return r;
}

}  // namespace assay::cli
