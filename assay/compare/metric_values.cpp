// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/metric_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/core/error.hpp"
#include "assay/core/nearest.hpp"
#include "assay/core/words.hpp"

namespace assay {
namespace {

const std::array<std::string, 3> default_metrics = {"dice", "avd", "mcc"};

/// Metrics that other tools write and our own table does not have.
struct KnownDirection {
  std::string_view name;
  Better better;
};
constexpr std::array foreign_metrics = {
    KnownDirection{"hd", Better::lower},
    KnownDirection{"hd95", Better::lower},
    KnownDirection{"assd", Better::lower},
    KnownDirection{"masd", Better::lower},
    KnownDirection{"nsd", Better::higher},
    KnownDirection{"boundary_iou", Better::higher},
    KnownDirection{"lesion_f1", Better::higher},
    KnownDirection{"lesion_precision", Better::higher},
    KnownDirection{"lesion_recall", Better::higher},
    KnownDirection{"lesion_dice", Better::higher},
    KnownDirection{"lesion_hd95", Better::lower},
    KnownDirection{"lesion_count_difference", Better::lower},
    KnownDirection{"pq", Better::higher},
    KnownDirection{"sq", Better::higher},
    KnownDirection{"rq", Better::higher},
    KnownDirection{"auroc", Better::higher},
    KnownDirection{"average_precision", Better::higher},
    KnownDirection{"brier", Better::lower},
    KnownDirection{"ece", Better::lower},
};

std::vector<std::string> names_of(const std::vector<MetricColumn>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const MetricColumn& column : columns) names.push_back(column.name);
  return names;
}

/// The first of all models' metrics that every model has.
std::vector<std::string> common_metrics(std::span<const ResultTable> tables,
                                        std::string_view label) {
  std::vector<std::string> common;
  for (const std::string& name : names_of(columns_of(tables.front(), label)))
    if (std::ranges::all_of(tables, [&](const ResultTable& table) {
          return column_of(columns_of(table, label), name) != nullptr;
        }))
      common.push_back(name);
  return common;
}

std::vector<std::string> chosen_by_default(std::span<const ResultTable> tables,
                                           std::string_view label) {
  const std::vector<std::string> common = common_metrics(tables, label);
  std::vector<std::string> chosen;
  for (const std::string& name : default_metrics)
    if (std::ranges::find(common, name) != common.end()) chosen.push_back(name);
  if (chosen.empty()) chosen = common;
  if (chosen.empty())
    throw Error(Error::Kind::input, "the files have no metric in common: " + tables.front().source +
                                        " has " +
                                        joined(names_of(columns_of(tables.front(), label))));
  return chosen;
}

Better direction_of(const std::string& name, const MetricChoice& choice,
                    std::vector<std::string>& notes) {
  if (std::ranges::find(choice.lower_is_better, name) != choice.lower_is_better.end())
    return Better::lower;
  if (const auto ours = metric_of_key(name)) return (*ours)->better;
  const auto known = std::ranges::find(foreign_metrics, name, &KnownDirection::name);
  if (known != foreign_metrics.end()) return known->better;
  notes.push_back("metric '" + name +
                  "' is not known here: higher counts as better, unless "
                  "--lower-is-better " +
                  name + " says otherwise");
  return Better::higher;
}

}  // namespace

std::vector<ComparedMetric> metrics_to_compare(std::span<const ResultTable> tables,
                                               const MetricChoice& choice,
                                               std::vector<std::string>& notes) {
  const bool by_default = choice.asked.empty();
  std::vector<ComparedMetric> chosen;
  for (const std::string& name :
       by_default ? chosen_by_default(tables, choice.label) : choice.asked) {
    for (const ResultTable& table : tables) {
      const auto& columns = columns_of(table, choice.label);
      if (column_of(columns, name) != nullptr) continue;
      const std::vector<std::string> known = names_of(columns);
      throw Error(Error::Kind::usage, table.source + ": has no metric '" + name + "'" +
                                          did_you_mean(name, known) + " (it has: " + joined(known) +
                                          ")");
    }
    if (std::ranges::find(chosen, name, &ComparedMetric::name) == chosen.end())
      chosen.push_back({name, direction_of(name, choice, notes)});
  }
  return chosen;
}

ValueTable values_of(std::span<const ResultTable> tables, const Matching& matching,
                     std::string_view metric, std::string_view label) {
  ValueTable values;
  for (std::size_t m = 0; m < tables.size(); ++m) {
    const MetricColumn& column = *column_of(columns_of(tables[m], label), metric);
    auto& row = values.emplace_back();
    row.reserve(matching.ids.size());
    for (const std::size_t place : matching.places[m]) {
      const auto& value = column.values[place];
      row.push_back(value && std::isfinite(*value) ? value : std::nullopt);
    }
  }
  return values;
}

ValueTable as_gain(ValueTable values, Better better) {
  for (auto& row : values)
    for (auto& value : row) {
      if (!value) continue;
      if (better == Better::lower) value = -*value;
      if (better == Better::zero) value = -std::fabs(*value);
    }
  return values;
}

std::vector<std::string> group_columns(std::span<const ResultTable> tables) {
  std::vector<std::string> names;
  for (const ResultTable& table : tables)
    for (const auto& group : table.groups)
      if (std::ranges::find(names, group.first) == names.end()) names.push_back(group.first);
  return names;
}

std::vector<std::string> group_values(std::span<const ResultTable> tables, const Matching& matching,
                                      std::string_view column) {
  for (std::size_t m = 0; m < tables.size(); ++m)
    for (const auto& [name, texts] : tables[m].groups) {
      if (name != column) continue;
      std::vector<std::string> values;
      for (const std::size_t place : matching.places[m]) values.push_back(texts[place]);
      return values;
    }
  const std::vector<std::string> known = group_columns(tables);
  throw Error(Error::Kind::usage, "no results file has a group column '" + std::string(column) +
                                      "'" + did_you_mean(column, known) +
                                      " (columns: " + (known.empty() ? "none" : joined(known)) +
                                      "); --manifest CSV adds some");
}

}  // namespace assay
