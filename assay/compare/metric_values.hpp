// SPDX-License-Identifier: Apache-2.0
/// The numbers of a comparison: chosen metrics, by model and matched case, and the groups of cases.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/compare/matching.hpp"
#include "assay/compare/result_table.hpp"
#include "assay/metrics/metric.hpp"

namespace assay {

/// A metric that files may have under any name, ours or not.
struct ComparedMetric {
  std::string name;
  Better better = Better::higher;
};

struct MetricChoice {
  std::vector<std::string> asked{};  ///< empty: dice, avd, mcc, as far as every file has them
  std::string label{};               ///< "": the case averages
  std::vector<std::string> lower_is_better{};  ///< for metrics that are not in our table
};

/// Throws Error::usage when a file lacks a metric that was asked for, naming what it has.
std::vector<ComparedMetric> metrics_to_compare(std::span<const ResultTable> tables,
                                               const MetricChoice& choice,
                                               std::vector<std::string>& notes);

/// A row per model, a column per matched case; nothing where there is no finite value.
using ValueTable = std::vector<std::vector<std::optional<double>>>;

ValueTable values_of(std::span<const ResultTable> tables, const Matching& matching,
                     std::string_view metric, std::string_view label);

/// The same as a gain: higher is better, and nothing else.
ValueTable as_gain(ValueTable values, Better better);

/// The group columns of any table, in order of first appearance.
std::vector<std::string> group_columns(std::span<const ResultTable> tables);

/// The value of a group column for each matched case, from the first table that has it. Throws
/// Error::usage when none has, naming the columns that there are.
std::vector<std::string> group_values(std::span<const ResultTable> tables, const Matching& matching,
                                      std::string_view column);

}  // namespace assay
