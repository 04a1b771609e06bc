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

/// What becomes of values that are undefined by the model's fault: each counts as its metric's row
/// declares, or the case is left out. What is nobody's fault is always left out.
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
  /// Failures whose worth the files do not tell, by model, and what they count: the worst value
  /// that any model has.
  std::vector<std::size_t> guessed{};
  std::optional<double> guess{};
};

ComparedValues compared_values(std::span<const ResultTable> tables, const Matching& matching,
                               const ComparedMetric& metric, UndefinedPolicy policy);

/// Those of some of the cases.
ComparedValues part_of(const ComparedValues& whole, std::span<const std::size_t> cases);

/// As a gain: higher is better, and nothing else.
ValueTable as_gain(ValueTable values, metrics::Better better);

/// The table with the cases that the model lost by its own fault, its prediction missing or
/// unreadable: it failed there in every metric.
ResultTable with_lost_cases(ResultTable table);

}  // namespace assay::compare
