// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/result_table.hpp"

#include <algorithm>

#include "assay/core/error.hpp"

namespace assay {

const LabelTable& label_of(const ResultTable& table, std::string_view label) {
  for (const LabelTable& each : table.labels)
    if (each.key == label || each.name == label) return each;
  std::string known;
  for (const LabelTable& each : table.labels)
    known.append(known.empty() ? "" : ", ").append(each.key);
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

const MetricColumn* column_of(const std::vector<MetricColumn>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &MetricColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace assay
