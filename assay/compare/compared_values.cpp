// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "assay/compare.hpp"
#include "assay/metrics/failure.hpp"

namespace assay::compare {
namespace {

constexpr std::array policies = {Named<UndefinedPolicy>{"worst", UndefinedPolicy::worst},
                                 Named<UndefinedPolicy>{"exclude", UndefinedPolicy::exclude}};

/// The failures of a column by the place of their case; null where there is none.
std::vector<const FailedValue*> failures_by_case(const MetricColumn& column) {
  std::vector<const FailedValue*> out(column.values.size());
  for (const FailedValue& failed : column.failed) out[failed.one_case] = &failed;
  return out;
}

/// Infinite where less is better: other tools write that for a distance to an empty mask, and for a
/// volume predicted where there is none.
bool is_endless(const std::optional<double>& value, metrics::Better better) {
  return value && *value == metrics::infinity && better == metrics::Better::lower;
}

/// One cell of the table: a number, a failure that counts something, or neither.
struct Cell {
  std::optional<double> value{};
  bool failed = false;
};

Cell cell_of(const std::optional<double>& value, const FailedValue* failure,
             metrics::Better better) {
  if (value && std::isfinite(*value)) return {value};
  if (failure != nullptr) return {failure->counts, true};
  return {std::nullopt, is_endless(value, better)};
}

/// The worst of all values, for failures whose worth is not known.
std::optional<double> worst_of(const ValueTable& values, metrics::Better better) {
  std::optional<double> worst;
  const auto badness = [&](double x) {
    return better == metrics::Better::higher ? -x
           : better == metrics::Better::zero ? std::fabs(x)
                                             : x;
  };
  if (better == metrics::Better::neither) return worst;
  for (const auto& row : values)
    for (const auto& value : row)
      if (value && (!worst || badness(*value) > badness(*worst))) worst = value;
  return worst;
}

void count_unknown(ComparedValues& out, metrics::Better better) {
  const std::optional<double> worst = worst_of(out.values, better);
  if (!worst) return;
  for (std::size_t m = 0; m < out.values.size(); ++m)
    for (std::size_t i = 0; i < out.values[m].size(); ++i)
      if (out.failed[m][i] && !out.values[m][i]) {
        out.values[m][i] = out.guess = worst;
        ++out.guessed[m];
      }
}

/// A case in which some model has no value is left out for all models. Models that have no value at
/// all do not take part.
void keep_complete(ComparedValues& out) {
  std::vector<bool> complete(out.values.front().size(), true);
  for (const auto& row : out.values) {
    const auto is_absent = [](const auto& value) { return !value.has_value(); };
    out.without.push_back(static_cast<std::size_t>(std::ranges::count_if(row, is_absent)));
    if (out.without.back() == row.size()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) complete[i] = complete[i] && row[i];
  }
  for (auto& row : out.values)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!complete[i]) row[i].reset();
}

/// What a case without any prediction counts in a metric.
void add_lost(MetricColumn& column, const UnscoredCase& lost) {
  const auto metric = metrics::metric_of_key(column.name);
  column.failed.push_back(
      {column.values.size(),
       metric
           ? metrics::failure_value(**metric, metrics::Presence::prediction_empty, lost.diagonal_mm)
           : std::nullopt,
       "not_scored",
       {}});
  column.values.emplace_back();
}

}  // namespace

std::span<const Named<UndefinedPolicy>> undefined_policies() {
  return policies;
}

ComparedValues compared_values(std::span<const ResultTable> tables, const Matching& matching,
                               const ComparedMetric& metric, UndefinedPolicy policy) {
  ComparedValues out;
  out.guessed.resize(tables.size());
  for (std::size_t m = 0; m < tables.size(); ++m) {
    const MetricColumn& column = *column_of(columns_of(tables[m], metric.label), metric.name);
    const auto failures = failures_by_case(column);
    auto& row = out.values.emplace_back();
    auto& failed = out.failed.emplace_back();
    for (const std::size_t place : matching.places[m]) {
      const Cell cell = cell_of(column.values[place], failures[place], metric.better);
      const bool counts = !cell.failed || policy == UndefinedPolicy::worst;
      row.push_back(counts ? cell.value : std::nullopt);
      failed.push_back(cell.failed);
    }
  }
  if (policy == UndefinedPolicy::worst) count_unknown(out, metric.better);
  keep_complete(out);
  return out;
}

ComparedValues part_of(const ComparedValues& whole, std::span<const std::size_t> cases) {
  ComparedValues out = {.guess = whole.guess};
  out.guessed.resize(whole.values.size());
  for (std::size_t m = 0; m < whole.values.size(); ++m) {
    auto& row = out.values.emplace_back();
    auto& failed = out.failed.emplace_back();
    for (const std::size_t i : cases) {
      row.push_back(whole.values[m][i]);
      failed.push_back(whole.failed[m][i]);
    }
  }
  keep_complete(out);
  return out;
}

ValueTable as_gain(ValueTable values, metrics::Better better) {
  for (auto& row : values)
    for (auto& value : row) {
      if (!value) continue;
      if (better == metrics::Better::lower) value = -*value;
      if (better == metrics::Better::zero) value = -std::fabs(*value);
    }
  return values;
}

ResultTable with_lost_cases(ResultTable table) {
  std::vector<UnscoredCase> others;
  for (UnscoredCase& lost : table.unscored) {
    if (!lost.failed || table.ids.empty()) {
      others.push_back(std::move(lost));
      continue;
    }
    for (MetricColumn& column : table.averages) add_lost(column, lost);
    for (LabelTable& label : table.labels)
      for (MetricColumn& column : label.columns) add_lost(column, lost);
    for (auto& group : table.groups) group.second.emplace_back();
    table.ids.push_back(lost.id);
    if (!table.file_ids.empty()) table.file_ids.push_back(lost.id);
    ++table.cases;
  }
  table.unscored = std::move(others);
  return table;
}

}  // namespace assay::compare
