// SPDX-License-Identifier: Apache-2.0
#include "assay/score/plan_labels.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/folder.hpp"
#include "assay/image/label_table.hpp"
#include "assay/score/channels.hpp"
#include "assay/score/dataset_json.hpp"
#include "assay/score/structure_plan.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void usage(const std::string& what) {
  throw Error(Error::Kind::usage, what);
}

/// A label with the name and colour known for it.
metrics::Region named_label(Label label, const std::vector<metrics::Region>& named) {
  metrics::Region out = {std::to_string(label), std::to_string(label), {label}};
  const auto found = std::ranges::find(named, out.key, &metrics::Region::key);
  if (found == named.end()) return out;
  out.name = found->name;
  out.color = found->color;
  return out;
}

/// The file that was given, or the one that nnU-Net writes next to its predictions.
fs::path dataset_json_for(const CohortRequest& request, const metrics::ScoreSettings& settings,
                          std::vector<std::string>& notes) {
  if (!request.dataset_json.empty()) return request.dataset_json;
  // Explicit settings take precedence over a file that was only found.
  const bool other_labels = settings.threshold.has_value() || settings.foreground_nonzero ||
                            request.prediction_pattern.find("{label}") != std::string::npos;
  if (request.prediction.empty() || other_labels) return {};
  const fs::path folder =
      is_cohort_folder(request.prediction) ? request.prediction : request.prediction.parent_path();
  fs::path beside = folder / "dataset.json";
  if (!fs::exists(beside) && request.side == "image") beside = dataset_json_of(folder);
  if (beside.empty() || !fs::exists(beside)) return {};
  notes.push_back("labels from " + beside.string());
  return beside;
}

void refuse_repeats(const std::vector<metrics::Region>& regions) {
  std::set<std::string> keys;
  for (const metrics::Region& region : regions)
    if (!keys.insert(region.key).second)
      usage("label or region '" + region.key + "' is asked for twice");
}

void refuse_ignored(const std::vector<metrics::Region>& regions,
                    const std::optional<Label>& ignored) {
  for (const metrics::Region& region : regions)
    if (ignored && region.members == std::vector{*ignored})
      usage("label " + std::to_string(*ignored) +
            " is ignored, so it cannot be scored; drop it, or drop --ignore-label");
}

/// Names and colours of labels, from a look-up table or from dataset.json.
std::vector<LabelRow> read_label_names(const fs::path& path) {
  const std::string text = read_text(path);
  if (first_sign(text) != '{') return parse_label_table(text, path.string());
  std::vector<LabelRow> rows;
  for (const metrics::Region& region : parse_dataset_json(text, path.string()).regions)
    if (region.members.size() == 1) rows.push_back({region.members.front(), region.name, {}});
  return rows;
}

/// If all labels are scored, the table only names those that occur.
void name_regions(std::vector<metrics::Region>& regions, const std::vector<LabelRow>& rows,
                  bool all_labels) {
  for (const LabelRow& row : rows) {
    const std::string key = std::to_string(row.label);
    auto known = std::ranges::find(regions, key, &metrics::Region::key);
    if (known == regions.end() && all_labels && row.label != 0)
      known = regions.insert(regions.end(), {key, key, {row.label}});
    if (known == regions.end()) continue;
    if (!row.name.empty()) known->name = row.name;
    known->color = row.color;
  }
}

/// Orders numbers by value, so that 10 comes after 9.
bool comes_before(const std::string& a, const std::string& b) {
  const auto is_number = [](const std::string& key) {
    return key.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(a) && is_number(b) && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

/// The segment names in the files of 3D Slicer. Throws Error when two files differ, because a label
/// then does not mean the same in both.
std::vector<LabelRow> segments_of(const std::vector<CasePlan>& cases) {
  std::vector<LabelRow> rows;
  const auto add = [&](const std::string& path) {
    for (const auto& [row, layer] : read_segments(path)) {
      const auto known = std::ranges::find(rows, row.label, &LabelRow::label);
      if (known == rows.end())
        rows.push_back(row);
      else if (known->name != row.name)
        throw Error(Error::Kind::input, path,
                    "calls label " + std::to_string(row.label) + " '" + row.name +
                        "', and another file calls it '" + known->name +
                        "'; export the segments with the same label values");
    }
  };
  for (const CasePlan& plan : cases)
    for (const FilePair& files : plan.files) {
      add(files.reference);
      add(files.prediction);
    }
  return rows;
}

}  // namespace

bool asks_for_labels(const CohortRequest& request) {
  return !request.labels.empty() || !request.regions.empty();
}

void settle_labels(const CohortRequest& request, const std::vector<CasePlan>& cases,
                   metrics::ScoreSettings& settings, std::vector<std::string>& notes) {
  DatasetLabels dataset;
  if (const fs::path path = dataset_json_for(request, settings, notes); !path.empty())
    dataset = read_dataset_json(path);
  if (!settings.ignored) settings.ignored = dataset.ignored;
  settings.all_labels = request.labels.all;

  const bool asked = asks_for_labels(request);
  const auto named = asked && dataset.regions.empty() ? structure_labels(cases) : dataset.regions;
  std::vector<metrics::Region> regions;
  if (settings.all_labels || !asked) {
    regions = named;
  } else {
    for (const Label label : request.labels.listed) regions.push_back(named_label(label, named));
  }
  if (settings.all_labels && !request.regions.empty())
    usage("--labels all and --region exclude each other; list the labels instead");
  regions.insert(regions.end(), request.regions.begin(), request.regions.end());
  refuse_repeats(regions);
  refuse_ignored(regions, settings.ignored);
  if (!request.label_names.empty() && settings.volumes != metrics::VolumeRule::labels) {
    if (regions.empty() && !settings.all_labels)
      usage("--label-names names labels; say which to score with --labels, such as --labels all");
    name_regions(regions, read_label_names(request.label_names), settings.all_labels);
  }
  if (regions.empty() && !settings.all_labels) regions = {metrics::foreground_region()};
  const bool is_one_mask =
      !settings.all_labels && regions == std::vector{metrics::foreground_region()};
  if (settings.threshold && !is_one_mask)
    usage(
        "--threshold turns the prediction into one foreground mask, so it cannot go with labels "
        "or regions; drop one of them");
  if (settings.foreground_nonzero && (!is_one_mask || settings.ignored))
    usage(
        "--foreground nonzero makes one mask of each image, so it cannot go with labels, regions "
        "or an ignored label; drop one of them");
  settings.regions = std::move(regions);
}
std::vector<metrics::Region> structure_regions(const std::vector<CasePlan>& cases) {
  std::set<std::string> keys;
  for (const CasePlan& plan : cases)
    for (const FilePair& files : plan.files)
      if (!files.region.empty()) keys.insert(files.region);
  std::vector<metrics::Region> regions;
  regions.reserve(keys.size());
  for (const std::string& key : keys) regions.push_back({key, key, {}});
  std::ranges::sort(regions, comes_before, &metrics::Region::key);
  return regions;
}
void name_by_segments(const CohortRequest& request, Cohort& cohort) {
  if (!structure_regions(cohort.cases).empty()) return;
  const std::vector<LabelRow> rows = segments_of(cohort.cases);
  metrics::ScoreSettings& settings = cohort.settings;
  if (rows.empty() || !request.label_names.empty()) return;
  const bool is_open = settings.regions == std::vector{metrics::foreground_region()} &&
                       !settings.threshold && !settings.foreground_nonzero;
  if (is_open) {
    settings.regions.clear();
    settings.all_labels = true;
    cohort.notes.emplace_back("each segment named in the files is scored as a label");
  }
  name_regions(settings.regions, rows, settings.all_labels);
}
void name_by_table(const fs::path& table, std::vector<metrics::Region>& regions) {
  name_regions(regions, read_label_names(table), false);
}

}  // namespace assay::score
