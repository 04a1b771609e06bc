// SPDX-License-Identifier: Apache-2.0
#include "assay/score/label_plan.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/score/dataset_json.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void usage(const std::string& what) {
  throw Error(Error::Kind::usage, what);
}

std::vector<Label> label_list(std::string_view text, const std::string& option) {
  std::vector<Label> out;
  for (const std::string_view part : parts_of(text, ',')) {
    Label label = 0;
    const char* last = part.data() + part.size();
    const auto parsed = std::from_chars(part.data(), last, label);
    if (parsed.ec != std::errc{} || parsed.ptr != last)
      usage(option + ": '" + std::string(part) +
            "' is not a label; write whole numbers, such as 1,2,3");
    out.push_back(label);
  }
  return out;
}

/// "whole=1,2,4"
metrics::Region region_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    usage("--region '" + text + "': write NAME=LABELS, such as whole=1,2,4");
  const std::string name = text.substr(0, equals);
  std::vector<Label> members =
      label_list(std::string_view(text).substr(equals + 1), "--region " + name);
  std::ranges::sort(members);
  return {.key = name, .name = name, .members = std::move(members), .is_union = true};
}

std::string name_of(Label label, const std::vector<metrics::Region>& named) {
  const std::string key = std::to_string(label);
  const auto found = std::ranges::find(named, key, &metrics::Region::key);
  return found == named.end() ? key : found->name;
}

/// The file that was given, or the one that nnU-Net leaves next to its predictions.
fs::path dataset_json_for(const CohortRequest& request, const metrics::ScoreSettings& settings,
                          std::vector<std::string>& notes) {
  if (!request.dataset_json.empty()) return request.dataset_json;
  // Explicit settings take precedence over a file that was only found.
  const bool other_labels = settings.threshold.has_value() || settings.foreground_nonzero ||
                            request.prediction_pattern.find("{label}") != std::string::npos;
  if (request.prediction.empty() || other_labels) return {};
  const fs::path folder =
      fs::is_directory(request.prediction) ? request.prediction : request.prediction.parent_path();
  fs::path beside = folder / "dataset.json";
  if (!fs::exists(beside)) return {};
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

}  // namespace

void settle_labels(const CohortRequest& request, metrics::ScoreSettings& settings,
                   std::vector<std::string>& notes) {
  DatasetLabels dataset;
  if (const fs::path path = dataset_json_for(request, settings, notes); !path.empty())
    dataset = read_dataset_json(path);
  if (!settings.ignored) settings.ignored = dataset.ignored;
  settings.all_labels = request.labels == "all";

  const bool asked = !request.labels.empty() || !request.regions.empty();
  std::vector<metrics::Region> regions;
  if (settings.all_labels || !asked) {
    regions = dataset.regions;
  } else if (!request.labels.empty()) {
    for (const Label label : label_list(request.labels, "--labels"))
      regions.push_back({std::to_string(label), name_of(label, dataset.regions), {label}});
  }
  if (settings.all_labels && !request.regions.empty())
    usage("--labels all and --region exclude each other; list the labels instead");
  for (const std::string& text : request.regions) regions.push_back(region_of(text));
  refuse_repeats(regions);
  refuse_ignored(regions, settings.ignored);
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

}  // namespace assay::score
