// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/error.hpp"
#include "assay/metrics/failure.hpp"
#include "assay/stats/moments.hpp"

namespace assay::compare {

const LabelTable& label_of(const ResultTable& table, std::string_view label) {
  for (const LabelTable& each : table.labels)
    if (each.key == label || each.name == label) return each;
  const std::string known = joined(table.labels, ", ", &LabelTable::key);
  throw Error(Error::Kind::usage, table.source + ": has no label '" + std::string(label) + "' (" +
                                      (known.empty() ? "it has none" : "it has: " + known) + ")");
}

const std::vector<MetricColumn>& columns_of(const ResultTable& table, std::string_view label) {
  return label.empty() ? table.averages : label_of(table, label).columns;
}

std::vector<std::optional<double>> with_failures(const MetricColumn& column) {
  auto values = column.values;
  for (const FailedValue& failed : column.failed) values[failed.one_case] = failed.counts;
  return values;
}

std::size_t left_out_of_averages(const ResultTable& table, std::string_view metric) {
  const MetricColumn* averages = column_of(table.averages, metric);
  if (averages == nullptr || table.averaged.size() < 2) return 0;
  std::size_t out = 0;
  for (const LabelTable& label : table.labels) {
    const MetricColumn* own = column_of(label.columns, metric);
    if (own == nullptr ||
        std::ranges::find(table.averaged, label.key, &metrics::Region::key) == table.averaged.end())
      continue;
    for (std::size_t i = 0; i < own->values.size(); ++i)
      if (averages->values[i] && !own->values[i]) ++out;
  }
  return out;
}

ColumnFailures failures_of(const ResultTable& table, const MetricColumn& column) {
  ColumnFailures out = {.failures = column.failed.size()};
  bool all_count =
      std::ranges::all_of(column.failed, [](const FailedValue& f) { return f.counts.has_value(); });
  std::vector<double> values;
  for (const auto& value : with_failures(column))
    if (value && std::isfinite(*value)) values.push_back(*value);
  const auto metric = metrics::metric_of_key(column.name);
  for (const UnscoredCase& one : table.unscored) {
    if (!one.failed) continue;
    ++out.failures;
    const auto counts = metric ? metrics::failure_value(
                                     **metric, metrics::Presence::prediction_empty, one.diagonal_mm)
                               : std::nullopt;
    if (counts) values.push_back(*counts);
    all_count = all_count && counts;
  }
  if (all_count && !values.empty()) out.mean_with = stats::mean(values);
  return out;
}

const MetricColumn* column_of(const std::vector<MetricColumn>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &MetricColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace assay::compare
