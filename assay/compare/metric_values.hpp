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

namespace assay::compare {

/// A metric that files may have under any name, ours or not, of one label.
struct ComparedMetric {
  std::string name;
  metrics::Better better = metrics::Better::higher;
  std::string label{};  ///< key or name of a label or region; "": the case average
};

/// For sentences and titles: "dice", or "dice of WT".
std::string words(const ComparedMetric& metric);

/// "mm", or "" for a ratio and for metrics that are not ours.
std::string_view unit_of(const ComparedMetric& metric);

/// Its values are compared by their distance from zero, whatever their sign.
inline bool is_by_magnitude(const ComparedMetric& metric) {
  return metric.better == metrics::Better::zero;
}

/// The `standard` metrics that every table was scored in, for each of the labels ("": the case
/// average); if there are none, all metrics that they have in common.
std::vector<std::string> default_metrics(std::span<const ResultTable> tables,
                                         std::span<const std::string> labels);

struct MetricChoice {
  std::vector<std::string> asked{};            ///< empty: `default_metrics`
  std::vector<std::string> labels{};           ///< empty: the case averages
  std::vector<std::string> lower_is_better{};  ///< for metrics that are not in our table

  bool has_several_labels() const { return labels.size() > 1; }
  /// The one label that a page shows; "": the case averages.
  std::string first_label() const { return labels.empty() ? "" : labels.front(); }
};

/// Every metric with every label, by metric first. Throws Error::usage when a file lacks a metric
/// or label that was asked for, naming what it has.
std::vector<ComparedMetric> metrics_to_compare(std::span<const ResultTable> tables,
                                               const MetricChoice& choice,
                                               std::vector<std::string>& notes);

/// The group columns of any table, in order of first appearance.
std::vector<std::string> group_columns(std::span<const ResultTable> tables);

/// Whether a column has the name of a cross-validation's folds or restarts: it says which training
/// a case was tested with, and is neither a metric nor a subgroup of patients.
bool is_fold_column(std::string_view column);

/// Whether a column has a name that says whose a case is: neither a metric nor a subgroup.
bool is_subject_column(std::string_view column);

/// The value of a group column for each matched case, from the first table that says it. Throws
/// Error::usage when none has, naming the columns that there are.
std::vector<std::string> group_values(std::span<const ResultTable> tables, const Matching& matching,
                                      std::string_view column);

}  // namespace assay::compare
