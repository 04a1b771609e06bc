// SPDX-License-Identifier: Apache-2.0
#include "assay/report/study.hpp"

#include <algorithm>

#include "assay/error.hpp"

namespace assay::report {
namespace {

/// "region WT" or "label 2", as in the files.
std::string kind_and_name(const Study& study, const std::string& label) {
  for (const compare::ResultTable& table : study.models)
    for (const compare::LabelTable& each : table.labels)
      if (each.key == label || each.name == label)
        return (each.is_union ? "region " : "label ") + label;
  return "label " + label;
}

bool has_counted_failures(const compare::Comparison& comparison) {
  if (comparison.settings.undefined != compare::UndefinedPolicy::worst) return false;
  return std::ranges::any_of(comparison.metrics, [](const compare::MetricComparison& metric) {
    return std::ranges::any_of(metric.values.failed, [](const std::vector<bool>& failed) {
      return std::ranges::find(failed, true) != failed.end();
    });
  });
}

}  // namespace

void compare_models(Study& study, const compare::CompareSettings& settings) {
  study.comparison = compare::compare(study.models, settings);
  study.without_failures.reset();
  if (!has_counted_failures(*study.comparison)) return;
  compare::CompareSettings without = settings;
  without.undefined = compare::UndefinedPolicy::exclude;
  without.matching.intersect = true;
  without.subgroups = std::vector<std::string>{};
  without.replicates = 1;  // only the verdicts are used
  try {
    study.without_failures = compare::compare(study.models, without);
  } catch (const Error&) {
    study.without_failures.reset();  // no case is left
  }
}

std::string averaged_note(const Study& study) {
  constexpr std::size_t most = 12;
  const std::string label = study.comparison ? study.comparison->settings.choice.first_label() : "";
  if (!label.empty()) return "Values are those of " + kind_and_name(study, label) + ".";
  const auto several = std::ranges::find_if(
      study.models, [](const compare::ResultTable& table) { return table.labels.size() > 1; });
  if (several == study.models.end() || several->averaged.empty()) return "";
  std::vector<metrics::Region> averaged = several->averaged;
  for (metrics::Region& region : averaged)
    if (!region.name.empty()) region.key = region.name;
  const std::string over = metrics::averaged_words(averaged, most);
  return averaged.size() == 1 ? "Values are those of " + over + "."
                              : "The value of a case is the unweighted mean over " + over + ".";
}

std::optional<metrics::ChosenMetric> metric_in(const Study& study, std::string_view key) {
  const auto is_it = [&](std::string_view name) {
    return name.starts_with(key) &&
           (name.size() == key.size() || name.substr(key.size()).starts_with(" of "));
  };
  for (const compare::ResultTable& table : study.models)
    for (const compare::MetricColumn& column : table.averages)
      if (column.own && is_it(column.name)) return compare::metric_of(column);
  return metrics::metric_of_key(key);
}

metrics::LengthUnit length_unit(const Study& study) {
  return study.models.empty() ? metrics::LengthUnit::mm : study.models.front().unit;
}

}  // namespace assay::report
