// SPDX-License-Identifier: Apache-2.0
/// What a comparison needs from a results file, whichever tool wrote it: a value per case and
/// metric.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/metrics/count.hpp"

namespace assay::compare {

/// A value that is missing because the model failed: it predicted nothing where there was
/// something, or something where there was nothing.
struct FailedValue {
  std::size_t one_case = 0;        ///< position in the column
  std::optional<double> counts{};  ///< where failures count; none when the file tells too little
  std::string reason{}, label{};   ///< such as "prediction_empty" and "2"

  bool operator==(const FailedValue&) const = default;
};

/// One metric over the cases of a table.
struct MetricColumn {
  std::string name;                           ///< our key where the metric is one of ours
  std::vector<std::optional<double>> values;  ///< one per case; never NaN
  std::vector<FailedValue> failed{};          ///< by case; values that are missing are there
  /// Not asked for when the file was made, but part of its layout: compared only by name.
  bool is_extra = false;
};

struct ResultTable;

/// What the model's failures do to the mean of a column: values that it left undefined, and cases
/// for which it has no prediction.
struct ColumnFailures {
  std::size_t failures = 0;
  std::optional<double> mean_with{};  ///< none when some failure has no value to count
};
ColumnFailures failures_of(const ResultTable& table, const MetricColumn& column);

/// The values with every failure counted, as far as it can be.
std::vector<std::optional<double>> with_failures(const MetricColumn& column);

/// The columns of one label or region.
struct LabelTable {
  std::string key, name;
  std::vector<MetricColumn> columns;
  std::vector<MetricColumn> derived{};
  bool is_union = false;  ///< a region, made of labels
};

/// A case that the file lists without a value.
struct UnscoredCase {
  std::string id, reason;
  bool failed = false;     ///< by the model's fault: its prediction is missing or unreadable
  double diagonal_mm = 0;  ///< of the image; 0 when the file does not say
};

struct ResultTable {
  std::string model_name;
  std::string source;                   ///< the file, as given
  std::vector<std::string> ids;         ///< empty when the file has none: then only positions pair
  std::vector<std::string> file_ids{};  ///< as the file spells them, where `ids` were changed
  std::size_t cases = 0;                ///< how many values each column has
  std::vector<MetricColumn> averages;   ///< per case, the unweighted mean over `averaged`
  std::vector<metrics::Region> averaged{};  ///< labels or regions; empty when the file has none
  /// What the file's evidence gives beyond the metrics that were asked for, averaged as they are:
  /// for figures, and never compared.
  std::vector<MetricColumn> derived{};
  std::vector<LabelTable> labels;
  /// What else is known about each case, such as its site: column name and one text per case.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::vector<UnscoredCase> unscored;
  std::vector<std::string> warnings{};  ///< what the file says is odd about the cohort as a whole
};

/// A label by key or by name. Throws Error::usage naming the labels that there are.
const LabelTable& label_of(const ResultTable& table, std::string_view label);

/// The columns of such a label, or the case averages for "".
const std::vector<MetricColumn>& columns_of(const ResultTable& table, std::string_view label);

/// How many values of labels have no part in the averages of their cases, though the case has one.
std::size_t left_out_of_averages(const ResultTable& table, std::string_view metric);

/// The column of that name, or null.
const MetricColumn* column_of(const std::vector<MetricColumn>& columns, std::string_view name);

}  // namespace assay::compare
