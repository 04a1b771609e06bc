// SPDX-License-Identifier: Apache-2.0
#include "assay/results/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/whole.hpp"
#include "assay/compare/result_builder.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/results.hpp"
#include "assay/results/readings.hpp"
#include "assay/results/result_layouts.hpp"

namespace assay::results {
namespace {

constexpr std::string_view list_prefix = "per_subject_";
constexpr std::string_view mean_prefix = "test_";

Json to_json(const std::vector<compare::Value>& values) {
  Json out = Json::array();
  for (const compare::Value& x : values) out.push_back(or_null(x));
  return out;
}

Json to_json(const compare::Spread& s) {
  return {{"mean", or_null(s.mean)},
          {"std", or_null(s.std)},
          {"ddof", 1},
          {"n", s.n},
          {"undefined", s.undefined}};
}

Json to_json(const compare::RestartSpread& s) {
  return {{"std", or_null(s.std)}, {"degrees_of_freedom", s.degrees}};
}

Json config_json(const compare::CrossValidation& result, const RunLedger& ledger) {
  std::size_t restarts = 0;
  for (const compare::OuterFold& fold : result.folds)
    restarts = std::max(restarts, fold.runs.size());
  return {{"num_outer_folds", result.folds.size()},
          {"num_restarts", restarts},
          {"num_runs", ledger.read},
          {"restart_aggregation", name(result.restarts)},
          {"metrics", result.metrics}};
}

Json to_json(const compare::TestedRun& tested, const compare::CrossValidation& result) {
  const compare::FoldRun& run = tested.run;
  Json out = {
      {"outer_fold", run.outer_fold}, {"restart", run.restart}, {"seed", or_null(run.seed)}};
  Json undefined = Json::object();
  for (std::size_t m = 0; m < result.metrics.size(); ++m) {
    out[std::string(mean_prefix) + result.metrics[m]] = or_null(tested.subjects[m].mean);
    if (tested.subjects[m].undefined != 0)
      undefined[result.metrics[m]] = tested.subjects[m].undefined;
  }
  if (run.final_train_loss) out["final_train_loss"] = *run.final_train_loss;
  if (run.duration_seconds) out["duration_seconds"] = *run.duration_seconds;
  for (const std::string& metric : result.metrics)
    out[std::string(list_prefix) + metric] =
        to_json(compare::column_of(run.columns, metric)->values);
  out["undefined"] = undefined;
  if (!run.indices.empty()) out["subject_indices"] = run.indices;
  out["subject_ids"] = run.ids;
  out["file"] = run.file;
  return out;
}

/// Statistics over the runs of the fold, as other writers of this file compute them. `best_dice` is
/// the highest mean of a run.
void add_run_statistics(Json& out, const compare::OuterFold& fold,
                        const compare::CrossValidation& result) {
  for (std::size_t m = 0; m < result.metrics.size(); ++m) {
    out["mean_" + result.metrics[m]] = or_null(fold.over_runs[m].mean);
    out["std_" + result.metrics[m]] = or_null(fold.over_runs[m].population_std);
    if (result.metrics[m] != "dice") continue;
    compare::Value best;
    for (const compare::TestedRun& run : fold.runs)
      if (const compare::Value mean = run.subjects[m].mean; mean && (!best || *mean > *best))
        best = mean;
    out["best_dice"] = or_null(best);
  }
}

Json to_json(const compare::OuterFold& fold, const compare::CrossValidation& result) {
  Json out = {{"outer_fold", fold.number}};
  add_run_statistics(out, fold, result);
  out["num_restarts"] = fold.runs.size();
  out["num_test_subjects"] = fold.subjects.size();
  if (fold.best) out["chosen_restart"] = fold.runs[*fold.best].run.restart;
  Json subjects = Json::object();
  for (std::size_t m = 0; m < result.metrics.size(); ++m)
    subjects[result.metrics[m]] = to_json(fold.over_subjects[m]);
  out["subjects"] = subjects;
  Json runs = Json::array();
  for (const compare::TestedRun& run : fold.runs) runs.push_back(to_json(run, result));
  out["runs"] = runs;
  return out;
}

template <class Part>
Json spreads_json(const compare::CrossValidation& result, Part compare::NamedSpreads::*part) {
  Json out = Json::object();
  for (const compare::NamedSpreads& spreads : result.spreads)
    out[spreads.metric] = to_json(spreads.*part);
  return out;
}

Json summary_json(const compare::CrossValidation& result) {
  Json out = Json::object();
  for (const compare::NamedSpreads& s : result.spreads) {
    out["test_mean_" + s.metric] = or_null(s.subjects.mean);
    out["test_std_" + s.metric] = or_null(s.subjects.population_std);
    out["test_median_" + s.metric] = or_null(s.subjects.median);
    out["test_iqr_" + s.metric] = {or_null(s.subjects.q25), or_null(s.subjects.q75)};
    out["test_mean_" + s.metric + "_per_run"] = or_null(s.runs.mean);
    out["test_std_" + s.metric + "_per_run"] = or_null(s.runs.population_std);
  }
  out["num_test_subjects"] = result.subjects.size();
  out["restart_aggregation"] = name(result.restarts);
  out["optimistic"] = result.restarts == compare::Restarts::best;
  Json undefined = Json::object();
  for (const compare::NamedSpreads& s : result.spreads) undefined[s.metric] = s.undefined;
  out["undefined_values"] = undefined;
  out["spread"] = {{"subjects", spreads_json(result, &compare::NamedSpreads::subjects)},
                   {"runs", spreads_json(result, &compare::NamedSpreads::runs)},
                   {"outer_folds", spreads_json(result, &compare::NamedSpreads::outer_folds)},
                   {"restarts", spreads_json(result, &compare::NamedSpreads::restarts)}};
  return out;
}

Json notes_json(const compare::CrossValidation& result) {
  Json out = {
      "test_std_* and test_std_*_per_run have ddof 0 (np.std); every std under spread has ddof 1",
      "spread.subjects: over the test subjects of all outer folds, restarts combined into one "
      "value each",
      "spread.runs: over the means of single runs; spread.outer_folds: over the means of outer "
      "folds; spread.restarts: of runs around the mean of their outer fold"};
  if (result.restarts == compare::Restarts::best)
    out.push_back(
        "optimistic: in each outer fold the restart with the highest mean Dice on the test set was "
        "taken, so the test set chose the model; publish mean or median instead");
  for (const std::string& warning : result.warnings) out.push_back(warning);
  return out;
}

Json cases_json(const compare::CrossValidation& result) {
  Json out = Json::array();
  for (const compare::PooledSubject& subject : result.subjects) {
    Json one = {{"id", subject.id}, {"outer_fold", subject.outer_fold}};
    for (std::size_t m = 0; m < result.metrics.size(); ++m)
      one[result.metrics[m]] = or_null(subject.values[m]);
    out.push_back(one);
  }
  return out;
}

Json lost_json(const std::vector<LostRun>& runs) {
  Json out = Json::array();
  for (const LostRun& run : runs)
    out.push_back({{"outer_fold", run.outer_fold},
                   {"restart", run.restart},
                   {"file", or_null(run.file)},
                   {"reason", run.reason}});
  return out;
}

Json to_json(const RunLedger& ledger) {
  return {{"expected", ledger.expected},
          {"read", ledger.read},
          {"unreadable", ledger.unreadable.size()},
          {"missing", ledger.missing.size()},
          {"unreadable_runs", lost_json(ledger.unreadable)},
          {"missing_runs", lost_json(ledger.missing)}};
}

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

/// A whole number; nothing when there is none.
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
  if (run.columns.empty()) fail(run.file, "has no list per_subject_*");
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
    if (const compare::Value mean = number_of(json, std::string(mean_prefix) + column.name))
      run.recorded.emplace_back(column.name, *mean);
  return run;
}

/// Only the paper's metrics of a results file, since pooling needs no others.
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

void read_case(JsonReader& in, compare::ResultBuilder& out, std::size_t whole) {
  const std::size_t here = out.add_case();
  bool has_id = false;
  in.object("a case", [&](std::string_view key) {
    if (key == "id") {
      out.name_case(here, in.text(key));
      has_id = true;
    } else if (key == "outer_fold") {
      const auto fold = in.number(key);
      if (!fold || !(*fold >= 0 && *fold < 1e6)) in.fail("an outer fold is a small whole number");
      out.group(here, key, std::to_string(static_cast<int>(*fold)));
    } else {
      out.put({here, whole, out.metric(key)}, in.number(key));
    }
  });
  if (!has_id) in.fail("the case that ends here has no 'id'");
}

/// "runs/fold_0_restart_1/results.json" -> "fold_0_restart_1"
std::string run_name(std::string_view path) {
  const std::filesystem::path file(path);
  const std::string folder = file.parent_path().filename().string();
  return folder.empty() ? file.stem().string() : folder;
}

}  // namespace

std::string experiment_text(const compare::CrossValidation& result, const RunFolders& folders,
                            const Provenance& provenance) {
  Json folds = Json::array();
  for (const compare::OuterFold& fold : result.folds) folds.push_back(to_json(fold, result));
  Json origin = provenance_json(provenance);
  origin["inputs_sha256"] = folders.inputs_sha256;
  return to_text({{"schema", folds_schema},
                  {"model_name", folders.name},
                  {"config", config_json(result, folders.ledger)},
                  {"folds", folds},
                  {"summary", summary_json(result)},
                  {"notes", notes_json(result)},
                  {"cases", cases_json(result)},
                  {"ledger", to_json(folders.ledger)},
                  {"provenance", origin}}) +
         "\n";
}

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

SavedFolds parse_folds(std::string_view text, const std::string& name) {
  const Json file = parse_json(text, name);
  try {
    SavedFolds out = {.name = file.at("model_name"),
                      .restarts = compare::restarts_named(
                          file.at("summary").at("restart_aggregation").get<std::string>())};
    for (const Json& fold : file.at("folds"))
      for (const Json& run : fold.at("runs")) {
        const FoldName place = {Whole(run.at("outer_fold")), std::size_t{Whole(run.at("restart"))}};
        out.runs.push_back(run_of_lists(run, name, place));
        if (run.contains("file")) out.runs.back().file = run.at("file");
      }
    return out;
  } catch (const Json::exception&) {
    throw incomplete(name, "cross-validation");
  }
}

std::vector<compare::ResultTable> read_run(const JsonObject& file) {
  compare::ResultBuilder out(run_name(file.name()), std::string(file.name()));
  const std::size_t whole = out.label("");
  std::size_t cases = 0;
  bool first = true;  // the first list determines the number of subjects
  for (const std::string& key : file.keys()) {
    if (!key.starts_with(list_prefix) || !file.has(key, JsonReader::Kind::list)) continue;
    const std::size_t metric = out.metric(std::string_view(key).substr(list_prefix.size()));
    JsonReader in = file.at(key);
    std::size_t here = 0;
    in.list(key, [&] {
      if (first) cases = out.add_case() + 1;
      const auto value = in.number(key);
      if (here < cases) out.put({here, whole, metric}, value);
      ++here;
    });
    if (here != cases) in.fail("every 'per_subject_' list needs one value for each subject");
    first = false;
  }
  if (!file.has("subject_ids", JsonReader::Kind::list)) {
    out.forget_ids();
  } else {
    JsonReader in = file.at("subject_ids");
    std::size_t here = 0;
    in.list("subject_ids", [&] {
      if (here == cases) in.fail("there are more 'subject_ids' than values");
      out.name_case(here++, in.text("a subject's id"));
    });
    if (here != cases) in.fail("there are fewer 'subject_ids' than values");
  }
  std::vector<compare::ResultTable> tables;
  tables.push_back(std::move(out).table());
  return tables;
}

std::vector<compare::ResultTable> read_folds(const JsonObject& file) {
  compare::ResultBuilder out(file.at("model_name").text("model_name"), std::string(file.name()));
  const std::size_t whole = out.label("");
  JsonReader in = file.at("cases");
  in.list("cases", [&] { read_case(in, out, whole); });
  std::vector<compare::ResultTable> tables;
  tables.push_back(std::move(out).table());
  return tables;
}

}  // namespace assay::results
