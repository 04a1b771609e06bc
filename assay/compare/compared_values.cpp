// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/label_words.hpp"
#include "assay/error.hpp"
#include "assay/metrics/failure.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/own_metric.hpp"

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

/// Infinite where lower is better: other tools write this for a distance to an empty mask, and for
/// a volume predicted where there is none.
bool is_endless(const std::optional<double>& value, metrics::Better better) {
  return value && *value == metrics::infinity && better == metrics::Better::lower;
}

/// One cell of the table: a number, a failure that counts as something, or neither.
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

/// The worst of all values, for failures whose value is not known.
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

/// Adds what a case without any prediction counts as in a metric.
void add_lost(MetricColumn& column, const UnscoredCase& lost) {
  const auto metric = metric_of(column);
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

namespace {

std::vector<std::string> names_of(const std::vector<MetricColumn>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const MetricColumn& column : columns) names.push_back(column.name);
  return names;
}

bool is_one_of(std::string_view column, std::span<const std::string_view> names) {
  return std::ranges::find(names, ascii_lowered(column)) != names.end();
}

using Labels = std::span<const std::string>;

/// The metrics of the first model that every model has for every label. Metrics that only came with
/// the layout of a file count if `with_extra`.
std::vector<std::string> common_metrics(std::span<const ResultTable> tables, Labels labels,
                                        bool with_extra) {
  std::unordered_map<std::string_view, std::size_t> times;
  for (const ResultTable& table : tables)
    for (const std::string& label : labels)
      for (const MetricColumn& column : columns_of(table, label))
        if (with_extra || !column.is_extra) ++times[column.name];
  std::vector<std::string> common = names_of(columns_of(tables.front(), labels.front()));
  std::erase_if(
      common, [&](const std::string& name) { return times[name] < tables.size() * labels.size(); });
  return common;
}

void require_column(const ResultTable& table, const std::string& name, const std::string& label) {
  const auto& columns = columns_of(table, label);
  if (column_of(columns, name) != nullptr) return;
  const std::vector<std::string> known = names_of(columns);
  throw Error(Error::Kind::usage, table.source,
              "has no metric '" + name + "'" + metrics::metric_hint(name, known) +
                  " (it has: " + joined(known) + ")");
}

/// The names in the order of first appearance; the case average if none is given.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names)
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  if (out.empty()) out.emplace_back();
  return out;
}

/// The row of a metric that is not in our table, where every file declares it. Files that declare
/// it in different ways are not comparable.
std::shared_ptr<const metrics::OwnMetric> declared_row(std::span<const ResultTable> tables,
                                                       const std::string& name) {
  std::shared_ptr<const metrics::OwnMetric> row;
  const ResultTable* first = nullptr;
  for (const ResultTable& table : tables) {
    const MetricColumn* column = column_of(table.averages, name);
    if (column == nullptr || column->own == nullptr) continue;
    if (first != nullptr && !metrics::are_alike(row->declared, column->own->declared))
      throw Error(Error::Kind::input, table.source,
                  "declares the metric '" + name + "' in another way than " + first->source +
                      " does (its direction, range, unit or rules); score both with the same "
                      "declaration");
    row = column->own;
    first = &table;
  }
  return row;
}

metrics::Better direction_of(const std::string& name, const MetricChoice& choice,
                             const metrics::OwnMetric* own, std::vector<std::string>& notes) {
  if (own != nullptr) return own->declared.better;
  if (std::ranges::any_of(choice.lower_is_better, [&](const std::string& typed) {
        return metrics::names_metric(typed, name);
      }))
    return metrics::Better::lower;
  if (const auto ours = metrics::metric_of_key(name)) return (*ours)->better;
  notes.push_back("metric '" + name +
                  "' is unknown to assay; higher counts as better, unless --lower-is-better " +
                  name + " says otherwise");
  return metrics::Better::higher;
}

/// A direction for a metric that no file has would be ignored silently.
void require_known(std::span<const ResultTable> tables, const MetricChoice& choice,
                   const std::string& label) {
  for (const std::string& typed : choice.lower_is_better) {
    std::vector<std::string> known;
    bool is_known = false;
    for (const ResultTable& table : tables)
      for (const MetricColumn& column : columns_of(table, label)) {
        is_known = is_known || metrics::names_metric(typed, column.name);
        if (std::ranges::find(known, column.name) == known.end()) known.push_back(column.name);
      }
    if (!is_known)
      throw Error(Error::Kind::usage, "--lower-is-better: no file has a metric '" + typed + "'" +
                                          metrics::metric_hint(typed, known) +
                                          " (they have: " + joined(known) + ")");
  }
}

/// The column that a typed name means: the one with that name, or else the one that the name is a
/// synonym of.
std::string column_named(const std::string& typed, std::span<const ResultTable> tables,
                         std::string_view label) {
  for (const ResultTable& table : tables)
    if (column_of(columns_of(table, label), typed) != nullptr) return typed;
  for (const ResultTable& table : tables)
    for (const MetricColumn& column : columns_of(table, label))
      if (metrics::names_metric(typed, column.name)) return column.name;
  return typed;
}

}  // namespace

std::vector<std::string> default_metrics(std::span<const ResultTable> tables, Labels labels) {
  std::vector<std::string> common = common_metrics(tables, labels, false);
  if (common.empty()) common = common_metrics(tables, labels, true);
  std::vector<std::string> chosen;
  for (const metrics::ChosenMetric& metric : metrics::chosen_metrics(metrics::default_group))
    if (std::ranges::find(common, metric.key) != common.end()) chosen.push_back(metric.key);
  for (const MetricColumn& column : columns_of(tables.front(), labels.front()))
    if (column.own && std::ranges::find(common, column.name) != common.end())
      chosen.push_back(column.name);
  if (!chosen.empty()) return chosen;
  std::erase_if(common, [](const std::string& name) {
    return is_fold_column(name) || is_subject_column(name);
  });
  return common;
}

std::string words(const ComparedMetric& metric) {
  const std::string name = is_by_magnitude(metric) ? "|" + metric.name + "|" : metric.name;
  return metric.label.empty() ? name : name + " of " + label_words(metric.label);
}

std::optional<metrics::ChosenMetric> metric_of(const MetricColumn& column) {
  return column.own ? std::optional(metrics::chosen_metric(column.own))
                    : metrics::metric_of_key(column.name);
}

std::optional<metrics::ChosenMetric> metric_of(const ComparedMetric& metric) {
  return metric.own ? std::optional(metrics::chosen_metric(metric.own))
                    : metrics::metric_of_key(metric.name);
}

std::string_view unit_of(const ComparedMetric& metric) {
  const auto ours = metric_of(metric);
  return ours ? metrics::unit_in(**ours, metric.unit) : std::string_view();
}

namespace {

/// Distances in mm and in pixels cannot be compared.
void require_one_unit(std::span<const ResultTable> tables, const ComparedMetric& metric) {
  for (const ResultTable& table : tables)
    if (table.unit != metric.unit && !unit_of(metric).empty())
      throw Error(Error::Kind::input,
                  metric.name + " is in " + std::string(name(table.unit)) + " in " + table.source +
                      " and in " + std::string(name(metric.unit)) + " in " + tables.front().source +
                      "; score both with the same --spacing");
}

}  // namespace

std::vector<ComparedMetric> metrics_to_compare(std::span<const ResultTable> tables,
                                               const MetricChoice& choice,
                                               std::vector<std::string>& notes) {
  const std::vector<std::string> labels = distinct(choice.labels);
  require_known(tables, choice, labels.front());
  std::vector<std::string> asked = choice.asked;
  for (std::string& name : asked) name = column_named(name, tables, labels.front());
  asked = asked.empty() ? default_metrics(tables, labels) : distinct(asked);
  if (asked.empty())
    throw Error(Error::Kind::input,
                "the files have no metric in common: " + tables.front().source + " has " +
                    joined(names_of(columns_of(tables.front(), labels.front()))));
  if (asked.size() * labels.size() > most_compared)
    throw Error(Error::Kind::usage,
                "would compare " + std::to_string(asked.size() * labels.size()) +
                    " columns; at most " + std::to_string(most_compared) +
                    " can be compared at a time: choose some with --metric and --label");
  std::vector<ComparedMetric> chosen;
  for (const std::string& name : asked) {
    const auto own = declared_row(tables, name);
    const metrics::Better better = direction_of(name, choice, own.get(), notes);
    for (const std::string& label : labels) {
      for (const ResultTable& table : tables) require_column(table, name, label);
      chosen.push_back({name, better, label, tables.front().unit, own});
      require_one_unit(tables, chosen.back());
    }
  }
  return chosen;
}

std::vector<std::string> group_columns(std::span<const ResultTable> tables) {
  std::vector<std::string> names;
  for (const ResultTable& table : tables)
    for (const auto& group : table.groups)
      if (std::ranges::find(names, group.first) == names.end()) names.push_back(group.first);
  return names;
}

bool is_fold_column(std::string_view column) {
  constexpr std::array<std::string_view, 5> names = {"outer_fold", "inner_fold", "cv_fold", "fold",
                                                     "restart"};
  return is_one_of(column, names);
}

bool is_subject_column(std::string_view column) {
  constexpr std::array<std::string_view, 6> names = {"subject",        "subject_id", "participant",
                                                     "participant_id", "patient",    "patient_id"};
  return is_one_of(column, names);
}

std::vector<std::string> group_values(std::span<const ResultTable> tables, const Matching& matching,
                                      std::string_view column) {
  std::vector<std::string> values;
  for (std::size_t m = 0; m < tables.size(); ++m)
    for (const auto& [name, texts] : tables[m].groups) {
      if (name != column) continue;
      values.resize(matching.ids.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].empty()) values[i] = texts[matching.places[m][i]];
    }
  if (!values.empty()) return values;
  const std::vector<std::string> known = group_columns(tables);
  throw Error(Error::Kind::usage, "no results file has a group column '" + std::string(column) +
                                      "'" + did_you_mean(column, known) +
                                      " (columns: " + (known.empty() ? "none" : joined(known)) +
                                      "); --groups FILE adds some");
}

}  // namespace assay::compare
