// SPDX-License-Identifier: Apache-2.0
/// What the tests of the results readers share.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/test_files.hpp"
#include "assay/results.hpp"

namespace assay::test {

using Values = std::vector<std::optional<double>>;
using Texts = std::vector<std::string>;
inline constexpr std::nullopt_t none = std::nullopt;

/// The only model of a file.
inline compare::ResultTable parsed(std::string_view text, const std::string& name = "r.json") {
  auto tables = results::parse_results(text, name);
  if (tables.size() != 1) throw std::logic_error("not one model");
  return std::move(tables.front());
}

/// Why a text is refused; "" when it is not.
inline std::string refusal_of(std::string_view text, const std::string& name = "r.json") {
  return test::refusal([&] { results::parse_results(text, name); });
}

inline Values values_of(const std::vector<compare::MetricColumn>& columns,
                        std::string_view metric) {
  const compare::MetricColumn* column = compare::column_of(columns, metric);
  return column == nullptr ? Values{} : column->values;
}

inline Values values_of(const std::vector<metrics::Score>& scores) {
  Values out;
  for (const metrics::Score& score : scores) out.push_back(metrics::value(score));
  return out;
}

/// A cohort of several labels in which every kind of case occurs: empty masks, a failed and a
/// missing prediction, a missing reference.
inline metrics::SegmentationResult cohort_of(metrics::ScoreSettings settings, int labels) {
  settings.regions.clear();
  for (Label l = 1; l <= labels; ++l)
    settings.regions.push_back({std::to_string(l), "part " + std::to_string(l), {l}});
  std::mt19937_64 rng(7);
  const auto count = [&] { return static_cast<std::int64_t>(rng() % 50); };
  metrics::CaseRecords records;
  for (int i = 0; i < 20; ++i) {
    metrics::CaseRecord r = {
        .id = "sub-" + std::to_string(i), .fate = metrics::Fate::scored, .error = {}};
    if (i % 2 == 0) r.groups.emplace_back("site", "A, \"B\"");
    r.prediction = r.reference = r.id + ".nii.gz";
    for (const metrics::Region& region : settings.regions)
      r.counts[region.key] = {
          .tp = count() % 3 * 7, .fp = count() % 2 * count(), .fn = count() % 2 * 5, .tn = 1000};
    r.voxels = 2000;
    r.voxel_ml = 0.001;
    records.push_back(std::move(r));
  }
  records.push_back({.id = "x", .fate = metrics::Fate::failed, .error = "it is <broken>"});
  records.push_back(
      {.id = "y", .fate = metrics::Fate::missing_prediction, .error = "no prediction"});
  records.push_back({.id = "z", .fate = metrics::Fate::missing_reference, .error = "no reference"});
  return metrics::scored(settings, std::move(records));
}

inline metrics::ScoreSettings settings_for(std::string_view metrics, std::string_view rules = {}) {
  metrics::ScoreSettings settings;
  settings.model_name = "net";
  settings.metrics = metrics::chosen_metrics(metrics);
  if (!rules.empty()) settings.convention = &metrics::convention(rules);
  return settings;
}

}  // namespace assay::test
