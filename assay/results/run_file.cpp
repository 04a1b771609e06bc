// SPDX-License-Identifier: Apache-2.0
/// One run: results.json of a training with its per-subject lists, or a results file.
#include <algorithm>
#include <cmath>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/results.hpp"
#include "assay/results/runs.hpp"

namespace assay::results {
namespace {

constexpr std::string_view list_prefix = "per_subject_";

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw Error(Error::Kind::input, file + ": " + what);
}

bool has_lists(const Json& json) {
  if (!json.is_object()) return false;
  const auto items = json.items();
  return std::any_of(items.begin(), items.end(),
                     [](const auto& item) { return item.key().starts_with(list_prefix); });
}

compare::Value finite(double x) {
  return std::isfinite(x) ? compare::Value(x) : std::nullopt;
}

compare::Value number_of(const Json& json, const std::string& key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? finite(found->get<double>()) : std::nullopt;
}

/// A whole number, or none.
std::optional<long long> whole_of(const Json& json, const std::string& key,
                                  const std::string& file) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  if (!found->is_number_integer()) fail(file, key + " is not a whole number");
  return found->get<long long>();
}

compare::MetricColumn column_of_list(const std::string& key, const Json& list,
                                     const std::string& file) {
  compare::MetricColumn column = {key.substr(list_prefix.size()), {}};
  if (!list.is_array()) fail(file, key + " is not a list");
  for (const Json& value : list) {
    if (!value.is_null() && !value.is_number())
      fail(file, key + " holds a value that is not a number");
    column.values.push_back(value.is_null() ? std::nullopt : finite(value.get<double>()));
  }
  return column;
}

/// A list of names or of whole numbers; empty when it is absent.
template <class Item>
std::vector<Item> list_of(const Json& json, const char* key, const std::string& file) {
  constexpr bool names = std::is_same_v<Item, std::string>;
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  const auto fits = [](const Json& item) {
    return names ? item.is_string() : item.is_number_integer();
  };
  if (!found->is_array() || !std::ranges::all_of(*found, fits))
    fail(file, std::string(key) + " is not a list of " + (names ? "names" : "whole numbers"));
  return found->template get<std::vector<Item>>();
}

void require_same_length(const compare::FoldRun& run) {
  const std::size_t subjects = run.columns.front().values.size();
  const auto check = [&](const std::string& what, std::size_t length) {
    if (length != subjects)
      fail(run.file, what + " has " + std::to_string(length) + " entries where per_subject_" +
                         run.columns.front().name + " has " + std::to_string(subjects));
  };
  if (subjects == 0) fail(run.file, "tests no subject; per_subject_* are empty");
  for (const compare::MetricColumn& column : run.columns)
    check("per_subject_" + column.name, column.values.size());
  if (!run.ids.empty()) check("subject_ids", run.ids.size());
  if (!run.indices.empty()) check("subject_indices", run.indices.size());
  if (run.ids.empty() && run.indices.empty())
    fail(run.file,
         "has neither subject_ids nor subject_indices, so its subjects cannot be told apart");
}

/// A run in the wrong folder would be pooled with the wrong fold.
void require_own_folder(const Json& json, const compare::FoldRun& run, const FoldName& place) {
  const auto check = [&](const char* key, std::size_t expected) {
    const auto found = whole_of(json, key, run.file);
    if (found && *found != static_cast<long long>(expected))
      fail(run.file, std::string("says ") + key + " " + std::to_string(*found) +
                         ", but its folder says " + std::to_string(expected));
  };
  check("outer_fold", run.outer_fold);
  if (place.restart) check("restart", run.restart);
}

compare::FoldRun run_of_lists(const Json& json, const std::string& file, const FoldName& place) {
  compare::FoldRun run = {.file = file,
                          .outer_fold = place.outer_fold,
                          .restart = place.restart.value_or(0),
                          .ids = list_of<std::string>(json, "subject_ids", file),
                          .indices = list_of<long long>(json, "subject_indices", file)};
  require_own_folder(json, run, place);
  for (const auto& item : json.items())
    if (item.key().starts_with(list_prefix))
      run.columns.push_back(column_of_list(item.key(), item.value(), file));
  require_same_length(run);
  run.seed = whole_of(json, "seed", file);
  run.final_train_loss = number_of(json, "final_train_loss");
  run.duration_seconds = number_of(json, "duration_seconds");
  for (const compare::MetricColumn& column : run.columns)
    if (const compare::Value mean = number_of(json, "test_" + column.name))
      run.recorded.emplace_back(column.name, *mean);
  return run;
}

/// The paper's metrics of a results file: pooling asks for no others.
compare::FoldRun run_of_table(const compare::ResultTable& table, const std::string& file,
                              const FoldName& place) {
  compare::FoldRun run = {.file = file,
                          .outer_fold = place.outer_fold,
                          .restart = place.restart.value_or(0),
                          .ids = table.ids,
                          .averaged = table.averaged};
  if (table.ids.empty()) fail(file, "names no cases, so they cannot be paired or pooled");
  for (const metrics::ChosenMetric& metric : metrics::chosen_metrics("paper")) {
    const compare::MetricColumn* found = compare::column_of(table.averages, metric->name);
    if (found == nullptr) found = compare::column_of(table.derived, metric->name);
    if (found == nullptr) continue;
    compare::MetricColumn& column = run.columns.emplace_back(*found);
    for (compare::Value& value : column.values)
      if (value) value = finite(*value);
  }
  if (run.columns.empty()) fail(file, "has none of the metrics dice, avd, mcc, dice_macro");
  return run;
}

}  // namespace

compare::FoldRun parse_run(std::string_view text, const std::string& file, const FoldName& place) {
  const Json json = parse_json(text, file);
  if (has_lists(json)) return run_of_lists(json, file, place);
  const auto recorded = {"test_dice", "test_avd", "test_mcc"};
  if (json.is_object() &&
      std::ranges::any_of(recorded, [&](const char* key) { return json.contains(key); }))
    fail(file, "has means only; pooling needs the values of the subjects (per_subject_dice, ...)");
  const auto tables = parse_results(text, file);
  if (tables.size() != 1)
    fail(file, "holds " + std::to_string(tables.size()) + " models, where a run has one");
  return run_of_table(tables.front(), file, place);
}

}  // namespace assay::results
