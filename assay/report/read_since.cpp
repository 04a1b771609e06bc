// SPDX-License-Identifier: Apache-2.0
#include "assay/report/read_since.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/error.hpp"
#include "assay/report/case_volumes.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/read_study.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::report {
namespace {

[[noreturn]] void refuse_since(const std::string& why) {
  throw Error(Error::Kind::usage, "--since: " + why);
}

/// A setting that changes what numbers mean. If `absent`, a file without the setting was scored in
/// the usual way. Otherwise it is unknown how such a file was scored.
struct MeaningfulSetting {
  std::string_view name, metrics;  ///< `metrics` is a key or a group; "": all metrics
  bool absent = false;
};

constexpr MeaningfulSetting meaningful_settings[] = {
    {"convention", ""},
    {"compat", ""},
    {"unit", ""},
    {"dice_smooth", ""},
    {"ignore_label", ""},
    {"foreground", "", true},
    {"colors", "", true},
    {"spacing", "boundary", true},
    {"surface", "boundary"},
    {"nsd_tolerance_mm", "nsd"},
    {"nsd_tolerance_px", "nsd"},
    {"beta", "fbeta"},
    {"lesions", "lesion"},
    {"probability", "probability"},
};

std::string value_of(const ResultSettings& of, std::string_view name) {
  for (const auto& [key, value] : of.settings)
    if (key == name) return value;
  return "";
}

/// The settings that differ between the files, in the order of the newer one.
std::vector<SettingChange> setting_changes(const ResultSettings& before,
                                           const ResultSettings& after) {
  std::vector<SettingChange> out;
  for (const auto& [name, value] : after.settings)
    if (std::string old = value_of(before, name); old != value)
      out.push_back({name, std::move(old), value});
  for (const auto& [name, value] : before.settings)
    if (value_of(after, name).empty()) out.push_back({name, value, ""});
  return out;
}

/// The metrics that a changed setting makes incomparable; null if numbers keep their meaning.
const MeaningfulSetting* meaning_of(const SettingChange& change) {
  const auto* row = std::ranges::find(meaningful_settings, change.name, &MeaningfulSetting::name);
  if (row == std::end(meaningful_settings)) return nullptr;
  return row->absent || (!change.before.empty() && !change.after.empty()) ? row : nullptr;
}

/// "dice" of "dice of WT".
std::string metric_key(const std::string& column) {
  return column.substr(0, column.find(" of "));
}

bool concerns(const MeaningfulSetting& setting, const std::string& column) {
  const std::string key = metric_key(column);
  if (setting.metrics.empty() || key == setting.metrics) return true;
  const auto known = metrics::metric_of_key(key);
  return known && ((*known)->name == setting.metrics || (*known)->group == setting.metrics);
}

std::string stated(const std::string& value) {
  return value.empty() ? "not set" : value;
}

/// The models of the page and the older file, as two versions of one model.
struct VersionPair {
  StudyRequest request;
  StudyReading reading;

  const compare::Comparison& comparison() const { return *reading.study.comparison; }
  std::size_t older() const { return comparison().baseline; }
  std::size_t newer() const { return 1 - older(); }
  const compare::ResultTable& before() const { return reading.study.models[older()]; }
  const compare::ResultTable& after() const { return reading.study.models[newer()]; }
};

/// The one model of the older file.
compare::ResultTable older_model(const std::string& file) {
  StudyReading reading = read_study({.files = {file}});
  if (!reading.study.qa.empty())
    refuse_since(file + " has answers to questions; 'assay qa compare' compares two runs");
  if (reading.study.models.size() != 1)
    refuse_since(fmt::format("{} holds {}; give the results of one model", file,
                             counted(reading.study.models.size(), "model")));
  return std::move(reading.study.models.front());
}

const compare::ResultTable& newer_model(const Study& page, const compare::ResultTable& older) {
  const auto same =
      std::ranges::find(page.models, older.model_name, &compare::ResultTable::model_name);
  if (same != page.models.end() && page.models.size() > 1) return *same;
  if (page.models.size() == 1) return page.models.front();
  refuse_since(
      fmt::format("no model of the report is called '{}', as the one in {} is; give the "
                  "newer results of this model",
                  older.model_name, older.source));
}

VersionPair read_pair(const ReportRequest& request, const Study& page) {
  const std::string file = request.since.string();
  const compare::ResultTable older = older_model(file);
  VersionPair out = {.request = request.study, .reading = {}};
  out.request.files = {file, newer_model(page, older).source};
  out.request.groups.clear();
  out.request.compare.baseline = file;
  out.request.compare.subgroups = std::vector<std::string>();
  out.reading = read_study(out.request);
  if (out.reading.study.models.size() != 2)
    refuse_since(out.request.files.back() + " holds several models; give the results of one model");
  if (!out.reading.study.comparison)
    refuse_since(fmt::format("{} has no case in common with {}", file, out.request.files.back()));
  return out;
}

std::vector<std::string> compared_columns(const VersionPair& pair) {
  std::vector<std::string> out;
  for (const compare::MetricComparison& metric : pair.comparison().metrics)
    out.push_back(metric.metric.name);
  return out;
}

std::string difference_words(const VersionPair& pair, const SettingChange& change) {
  return fmt::format("{} is {} in {} and {} in {}", change.name, stated(change.before),
                     pair.before().source, stated(change.after), pair.after().source);
}

/// Drops the metrics whose meaning has changed from the comparison and returns why. Refuses if no
/// metric is left.
std::vector<std::string> drop_incomparable(VersionPair& pair,
                                           const std::vector<SettingChange>& changes) {
  std::vector<std::string> keys, notes;
  const std::vector<std::string> columns = compared_columns(pair);
  for (const std::string& column : columns)
    if (std::ranges::find(keys, metric_key(column)) == keys.end())
      keys.push_back(metric_key(column));
  for (const SettingChange& change : changes) {
    const MeaningfulSetting* setting = meaning_of(change);
    if (setting == nullptr) continue;
    std::vector<std::string> lost;
    std::erase_if(keys, [&](const std::string& key) {
      if (concerns(*setting, key)) lost.push_back(key);
      return !lost.empty() && lost.back() == key;
    });
    const std::string words = difference_words(pair, change);
    if (keys.empty())
      refuse_since(words +
                   "; their numbers cannot be compared: score one of them again with the "
                   "settings of the other");
    if (!lost.empty()) notes.push_back(fmt::format("{} left out: {}", joined(lost), words));
  }
  if (notes.empty()) return notes;
  pair.request.compare.choice.asked = keys;
  pair.reading = read_study(pair.request);
  return notes;
}

/// The same name must mean the same voxels. Averages over labels are checked when results are read.
void require_same_members(const VersionPair& pair, const std::vector<std::string>& labels) {
  const Study& study = pair.reading.study;
  if (labels.empty() || study.settings.size() != 2) return;
  const std::string before = value_of(study.settings[pair.older()], "labels"),
                    after = value_of(study.settings[pair.newer()], "labels");
  if (!before.empty() && !after.empty() && before != after)
    refuse_since(difference_words(pair, {"labels", before, after}) +
                 "; score one of them again with the same --labels and --region");
}

MetricChange change_in(const VersionPair& pair, const compare::MetricComparison& metric) {
  const compare::PairComparison& found = metric.pairs.front();
  MetricChange out = {.metric = metric.metric.name,
                      .n = found.n,
                      .before = metric.models[pair.older()].mean,
                      .after = metric.models[pair.newer()].mean,
                      .verdict = std::string(chip_of(metric, found).word),
                      .sentence = compare::sentence(metric, found, pair.before().model_name)};
  if (found.n != 0) {
    const stats::Interval& typical = found.result.difference95;
    out.difference = typical.estimate;
    if (typical.has_limits()) out.ci95 = {typical.lower, typical.upper};
    out.mean_difference = found.result.mean_difference.estimate;
  }
  const auto gains = compare::as_gain(metric.values.values, metric.metric.better);
  std::vector<std::pair<double, ChangedCase>> changed;
  for (std::size_t i = 0; i < pair.comparison().matching.ids.size(); ++i) {
    const auto &before = metric.values.values[pair.older()][i],
               &after = metric.values.values[pair.newer()][i];
    if (!before || !after) continue;
    const double gain = *gains[pair.newer()][i] - *gains[pair.older()][i];
    if (gain == 0 || std::isnan(gain))
      ++out.same;
    else
      changed.push_back({gain, {pair.comparison().matching.ids[i], *before, *after}});
  }
  std::ranges::stable_sort(changed, std::greater<>(),
                           [](const auto& one) { return std::abs(one.first); });
  for (auto& [gain, one] : changed) (gain > 0 ? out.better : out.worse).push_back(std::move(one));
  return out;
}

using CaseReasons = std::map<std::string, std::string>;

/// Every case that a file lists, with "" if it was scored, else the reason why not.
CaseReasons listed_cases(const compare::ResultTable& table) {
  CaseReasons out;
  for (const std::string& id : table.ids) out.emplace(id, "");
  for (const compare::UnscoredCase& one : table.unscored)
    out.emplace(one.id, one.reason.empty() ? "not scored" : one.reason);
  return out;
}

void add_case_lists(const VersionPair& pair, VersionChanges& out) {
  const CaseReasons before = listed_cases(pair.before()), after = listed_cases(pair.after());
  for (const auto& [id, reason] : after) {
    const auto old = before.find(id);
    if (old == before.end())
      out.appeared.push_back(id);
    else if (!reason.empty() && old->second.empty())
      out.failed.push_back({id, reason});
    else if (reason.empty() && !old->second.empty())
      out.recovered.push_back(id);
  }
  for (const auto& one : before)
    if (!after.contains(one.first)) out.disappeared.push_back(one.first);
}

/// The hash of each case's reference; empty if the file does not record them.
std::map<std::string, std::string> references_in(const std::string& file) {
  std::map<std::string, std::string> out;
  if (const auto scored = results::segmentation_in(read_text(file), file))
    for (const results::SavedCase& one : scored->cases)
      if (!one.record.reference_sha256.empty())
        out.emplace(one.record.id, one.record.reference_sha256);
  return out;
}

std::vector<std::string> other_references(const VersionPair& pair) {
  std::vector<std::string> out;
  const auto before = references_in(pair.before().source),
             after = references_in(pair.after().source);
  for (const auto& [id, content] : after)
    if (const auto old = before.find(id); old != before.end() && old->second != content)
      out.push_back(id);
  return out;
}

/// The cases that changed most in the first metric, those that got worse first.
std::vector<ShownCase> most_changed(const VersionPair& pair, const VersionChanges& changes) {
  constexpr std::size_t of_each = 2;
  std::vector<ShownCase> out;
  if (changes.metrics.empty()) return out;
  const MetricChange& metric = changes.metrics.front();
  const auto& ids = pair.reading.study.ids;
  for (const auto* list : {&metric.worse, &metric.better})
    for (std::size_t i = 0; i < std::min(of_each, list->size()); ++i)
      out.push_back(
          {static_cast<std::size_t>(std::ranges::lower_bound(ids, (*list)[i].id) - ids.begin()),
           list == &metric.worse ? "worse" : "better"});
  return out;
}

/// Folders that the user named may hold only the newer predictions. The older ones are then looked
/// for where they were scored.
std::vector<CaseVolume> read_changed(const VersionPair& pair, const ReportRequest& request,
                                     const VersionChanges& changes) {
  VolumeRequest wanted = {.cases = most_changed(pair, changes),
                          .roots = request.roots,
                          .executor = request.study.compare.executor};
  const Study& study = pair.reading.study;
  const auto is_whole = [](const CaseVolume& one) { return one.predictions.size() == 2; };
  std::vector<CaseVolume> out = read_volumes(study, wanted).volumes;
  std::erase_if(out, [&](const CaseVolume& one) { return !is_whole(one); });
  std::erase_if(wanted.cases, [&](const ShownCase& one) {
    return std::ranges::find(out, one.place, &CaseVolume::place) != out.end();
  });
  if (wanted.roots.predictions.empty() || wanted.cases.empty()) return out;
  wanted.roots.predictions.clear();
  for (CaseVolume& one : read_volumes(study, wanted).volumes)
    if (is_whole(one)) out.push_back(std::move(one));
  return out;
}

}  // namespace

SinceReading read_since(const ReportRequest& request, const Study& page) {
  VersionPair pair = read_pair(request, page);
  VersionChanges out = {.before_file = pair.before().source,
                        .after_file = pair.after().source,
                        .before = pair.before().model_name,
                        .after = pair.after().model_name};
  const std::vector<ResultSettings>& settings = pair.reading.study.settings;
  out.is_stated = std::ranges::none_of(
      settings, [](const ResultSettings& one) { return one.settings.empty(); });
  if (out.is_stated) out.settings = setting_changes(settings[pair.older()], settings[pair.newer()]);
  require_same_members(pair, request.study.compare.choice.labels);
  out.notes = drop_incomparable(pair, out.settings);
  for (const compare::MetricComparison& metric : pair.comparison().metrics)
    if (!metric.pairs.empty()) out.metrics.push_back(change_in(pair, metric));
  add_case_lists(pair, out);
  out.other_reference = other_references(pair);
  std::vector<CaseVolume> volumes = read_changed(pair, request, out);
  const std::size_t document = pair.reading.documents.front().file == out.before_file ? 0 : 1;
  return {{std::move(out), std::move(pair.reading.study), std::move(volumes)},
          pair.reading.documents[document]};
}

}  // namespace assay::report
