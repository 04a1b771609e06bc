// SPDX-License-Identifier: Apache-2.0
/// The numbers of a comparison: by model and matched case, with the model's failures counted or
/// left out, and only of cases in which every model has a value.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/compare/matching.hpp"
#include "assay/compare/metric_values.hpp"
#include "assay/compare/result_table.hpp"

namespace assay::compare {

/// What happens to values that are undefined through the model's fault: each counts as its metric's
/// row declares, or the case is left out. Values that are undefined through nobody's fault are
/// always left out.
enum class UndefinedPolicy { worst, exclude };

std::span<const Named<UndefinedPolicy>> undefined_policies();

/// A row per model, a column per matched case.
using ValueTable = std::vector<std::vector<std::optional<double>>>;

struct ComparedValues {
  /// Nothing in a column where some model has no value: every mean, test and rank of a metric is of
  /// the same cases.
  ValueTable values{};
  std::vector<std::vector<bool>> failed{};  ///< by model and case, whether failures count or not
  std::vector<std::size_t> without{};       ///< by model: cases without a value that can be counted
  /// Failures for which the files give no value, by model, and what they count as: the worst value
  /// of any model.
  std::vector<std::size_t> guessed{};
  std::optional<double> guess{};
};

ComparedValues compared_values(std::span<const ResultTable> tables, const Matching& matching,
                               const ComparedMetric& metric, UndefinedPolicy policy);

/// Those of some of the cases.
ComparedValues part_of(const ComparedValues& whole, std::span<const std::size_t> cases);

/// As a gain: higher is better, and nothing else.
ValueTable as_gain(ValueTable values, metrics::Better better);

/// The table with the cases that the model lost through its own fault, because its prediction is
/// missing or unreadable: there it failed in every metric.
ResultTable with_lost_cases(ResultTable table);

}  // namespace assay::compare
