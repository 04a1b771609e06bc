// SPDX-License-Identifier: Apache-2.0
//
// One block of the file gives the numbers, and the first that has a Dice is taken whole: values of
// different blocks are not mixed. What else the file has (other spreads, single values, counts of
// runs) is gathered afterwards and kept separately.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/parity.hpp"
#include "assay/parity/published.hpp"
#include "assay/results.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/experiment_runs.hpp"
#include "assay/results/readings.hpp"
#include "assay/stats/moments.hpp"

namespace assay::results {
namespace {

struct Source {
  const Json& file;
  const Json& summary;  ///< of the file, or the file itself when it is flat
  std::string at;       ///< "summary", or "" when flat
  bool compat = false;
};

bool has(const Json& object, std::string_view key) {
  return !member(object, key).is_null();
}

bool read_summary(const Source& s, parity::Achieved& out) {
  if (!has(s.summary, "test_mean_dice")) return false;
  out.origin = s.at.empty() ? "test_mean_*" : "summary";
  out.dice = number_at(s.summary, "test_mean_dice", s.at, s.compat);
  out.avd = number_at(s.summary, "test_mean_avd", s.at, s.compat);
  out.mcc = number_at(s.summary, "test_mean_mcc", s.at, s.compat);
  out.dice_std.std = number_at(s.summary, "test_std_dice", s.at, s.compat);
  // The systems that write one of these fields take this SD over subjects; alone it says nothing.
  for (const char* sign : {"num_test_subjects", "test_median_dice", "test_std_dice_per_run"})
    if (has(s.summary, sign)) out.dice_std.over = parity::SpreadOver::subjects;
  if (const Json& n = member(s.summary, "num_test_subjects"); n.is_number_unsigned())
    out.dice_std.n = n.get<std::size_t>();
  if (member(s.summary, "optimistic") == true)
    out.warnings.emplace_back(
        "the file says that its restarts were chosen on the test set: its numbers are optimistic");
  return true;
}

bool read_runs(const std::vector<TestRun>& runs, const char* origin, bool raw,
               parity::Achieved& out) {
  if (runs.empty()) return false;
  const auto moments = [&](const char* metric) {
    std::vector<parity::NumberRead> numbers;
    numbers.reserve(runs.size());
    for (const TestRun& run : runs)
      numbers.push_back(number_at(*run.entry, metric, run.place, raw));
    return moments_of(numbers, std::string(origin) + "." + metric);
  };
  const auto dice = moments("test_dice");
  out.origin = origin;
  out.dice = dice.mean;
  out.dice_std = {.over = parity::SpreadOver::runs, .std = dice.std, .n = runs.size()};
  out.avd = moments("test_avd").mean;
  out.mcc = moments("test_mcc").mean;
  return true;
}

/// One run's own file: its spread is over subjects.
bool read_single_run(const Source& s, parity::Achieved& out) {
  if (!has(s.file, "test_dice")) return false;
  out.origin = "single run";
  out.dice = number_at(s.file, "test_dice", "");
  out.avd = number_at(s.file, "test_avd", "");
  out.mcc = number_at(s.file, "test_mcc", "");
  std::size_t left_out = 0;
  const auto values = finite_numbers(member(s.file, "per_subject_dice"), left_out);
  out.dice_std = {.over = parity::SpreadOver::subjects,
                  .std = {.place = "SD of per_subject_dice"},
                  .n = values.size()};
  if (values.empty())
    out.dice_std.std.missing = "one run alone, without per_subject_dice, has no SD";
  else
    out.dice_std.std.value = stats::standard_deviation(values, 0);
  return true;
}

/// Means are over the cases that have a value, which need not be the same for every metric.
void warn_of_gaps(const Json& file, parity::Achieved& out) {
  for (const char* metric : {"dice", "avd", "mcc"}) {
    std::size_t gaps = 0;
    const Json& values = member(member(file, metric), "values");
    const std::size_t defined = finite_numbers(values, gaps).size();
    if (gaps != 0)
      out.warnings.push_back(std::string(metric) + " is undefined in " + std::to_string(gaps) +
                             " of " + counted(gaps + defined, "case") +
                             "; its mean is over the others");
  }
  const Json& ledger = member(file, "ledger");
  const Json &expected = member(ledger, "expected"), &scored = member(ledger, "scored");
  if (expected.is_number_unsigned() && scored.is_number_unsigned() && scored < expected)
    out.warnings.push_back("only " + std::to_string(scored.get<std::size_t>()) + " of " +
                           counted(expected.get<std::size_t>(), "case") +
                           " were scored; the means are over those");
}

/// The first block of `assay.segmentation/1` and of the specification's EvaluationResult.
bool achieved_evaluation(const Source& s, parity::Achieved& out) {
  const Json& dice = member(s.file, "dice");
  if (!dice.is_object()) return false;
  out.origin = "evaluation";
  out.dice = number_at(dice, "mean", "dice");
  out.avd = number_at(member(s.file, "avd"), "mean", "avd");
  out.mcc = number_at(member(s.file, "mcc"), "mean", "mcc");
  out.dice_std = {.over = parity::SpreadOver::subjects, .std = number_at(dice, "std", "dice")};
  out.sample = {.over = parity::SpreadOver::subjects, .place = "dice.values"};
  out.sample.values = finite_numbers(member(dice, "values"), out.sample.left_out);
  if (!out.sample.values.empty()) out.dice_std.n = out.sample.values.size();
  warn_of_gaps(s.file, out);
  const Json& macro = member(member(s.file, "metrics"), "dice_macro");
  if (!macro.is_object()) return true;
  out.dice_macro = number_at(macro, "mean", "metrics.dice_macro");
  out.macro_spreads.push_back(
      spread_at(macro, parity::SpreadOver::subjects, "metrics.dice_macro", 1));
  return true;
}

bool is_scored_here(const Json& file) {
  return member(file, "schema") == segmentation_schema && !elements(member(file, "cases")).empty();
}

/// The finite or infinite values of the scored cases, as the first block of a file has them.
Json block_of(const compare::MetricColumn& column, const std::vector<bool>& is_scored) {
  Json listed = Json::array();
  std::vector<double> values;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (!is_scored[i]) continue;
    listed.push_back(or_null(column.values[i]));
    if (column.values[i]) values.push_back(*column.values[i]);
  }
  const bool none = values.empty();
  return {{"mean", none ? Json(nullptr) : Json(stats::mean(values))},
          {"std", none ? Json(nullptr) : Json(stats::standard_deviation(values, 0))},
          {"values", std::move(listed)}};
}

/// Which cases of the table were scored: files may count failed ones as worst.
std::vector<bool> scored_in(const Json& file, const compare::ResultTable& table) {
  std::set<std::string> scored;
  for (const Json& one : elements(member(file, "cases")))
    if (member(one, "status") == "ok") scored.insert(one.value("id", ""));
  std::vector<bool> out;
  for (const std::string& id : table.ids) out.push_back(scored.contains(id));
  return out;
}

/// Version 0.1 took averages over labels and regions together, whatever the model left out, and did
/// not say over which keys. Its first block is made again from the values of the labels.
void average_again(std::string_view text, Json& file, parity::Achieved& out) {
  if (!is_scored_here(file) || has(member(file, "settings"), "averaged")) return;
  const compare::ResultTable table = parse_results(text, out.source).front();
  const std::vector<bool> is_scored = scored_in(file, table);
  for (const char* metric : {"dice", "avd", "mcc"}) {
    const compare::MetricColumn* column = compare::column_of(table.averages, metric);
    if (column == nullptr || !has(file, metric)) continue;
    const Json old = member(member(file, metric), "mean");
    file[metric] = block_of(*column, is_scored);
    const Json& now = file[metric]["mean"];
    const bool is_same = old.is_number() && now.is_number()
                             ? std::abs(old.get<double>() - now.get<double>()) <= 1e-9
                             : old == now;
    if (!is_same)
      out.warnings.push_back(std::string(metric) +
                             ": this file of version 0.1 averages labels and regions together; its "
                             "mean was " +
                             old.dump() + ", and is " + now.dump() + " over " +
                             metrics::averaged_words(table.averaged));
  }
  if (Json& metrics = file["metrics"]; metrics.is_object()) metrics.erase("dice_macro");
}

/// Asked for, or derived from the counts.
const compare::MetricColumn* macro_of(const compare::ResultTable& table) {
  const compare::MetricColumn* asked = compare::column_of(table.averages, "dice_macro");
  return asked != nullptr ? asked : compare::column_of(table.derived, "dice_macro");
}

/// Macro Dice of files of ours that were not scored by it: from the counts of their cases.
void add_macro(std::string_view text, const Json& file, parity::Achieved& out) {
  if (out.origin != "evaluation" || !out.dice.value || out.dice_macro.value) return;
  if (!is_scored_here(file)) return;
  std::vector<double> values;
  for (const compare::ResultTable& table : parse_results(text, out.source))
    if (const compare::MetricColumn* macro = macro_of(table))
      for (const auto& value : macro->values)
        if (value) values.push_back(*value);
  if (values.empty()) return;
  const std::string place = "evidence of the cases";
  out.dice_macro = {.value = stats::mean(values), .place = place};
  out.macro_spreads.push_back(
      {.over = parity::SpreadOver::subjects,
       .std = {.value = stats::standard_deviation(values, 0), .place = "SD of " + place},
       .n = values.size()});
}

/// Means alone, as the original system's `evaluate` writes them.
bool read_means(const Source& s, parity::Achieved& out) {
  if (!member(s.file, "dice").is_number()) return false;
  out.origin = "means";
  out.dice = number_at(s.file, "dice", "");
  out.avd = number_at(s.file, "avd", "");
  out.mcc = number_at(s.file, "mcc", "");
  out.dice_std.std = number_at(s.file, "dice_std", "");
  return true;
}

parity::NumberRead first_of(const Source& s, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (has(s.summary, key)) return number_at(s.summary, key, s.at, s.compat);
  return number_at(s.summary, *keys.begin(), s.at);
}

bool read_validation(const Source& s, parity::Achieved& out) {
  out.dice = first_of(s, {"val_mean_dice", "mean_dice"});
  if (!has(s.summary, "val_mean_dice") && !has(s.summary, "mean_dice")) return false;
  out.origin = "validation";
  out.dice_std.std = first_of(s, {"val_std_dice", "std_dice"});
  out.avd = first_of(s, {"avd_mean", "val_mean_avd", "mean_avd"});
  out.mcc = first_of(s, {"mcc_mean", "val_mean_mcc", "mean_mcc"});
  out.warnings.emplace_back(
      "no test metrics in the file: these are validation metrics, on which a model is chosen; they "
      "flatter it, and do not decide parity");
  return true;
}

/// The specification's defaults. They are invented, and say so.
void invent(const Source& s, parity::Achieved& out) {
  read_validation(s, out);
  out.origin = "validation";
  const auto fill = [&](parity::NumberRead& number, double invented) {
    if (number.value) return;
    number.value = invented;
    out.warnings.push_back(number.missing + "; the specification puts " + shortest(invented) +
                           " in its place, which nobody measured");
  };
  out.avd = first_of(s, {"avd_mean"});  // the specification knows one name only
  out.mcc = first_of(s, {"mcc_mean"});
  out.dice_std.std = first_of(s, {"val_std_dice", "std_dice"});
  fill(out.dice, 0.0);
  fill(out.dice_std.std, 0.0);
  fill(out.avd, 0.3);
  fill(out.mcc, 0.7);
}

void read_block(const Source& s, parity::Achieved& out) {
  if (achieved_evaluation(s, out) || read_summary(s, out)) return;
  if (read_runs(listed_runs(s.file), "test_results", s.compat, out)) return;
  if (s.compat) {
    invent(s, out);
    return;
  }
  if (read_runs(fold_runs(s.file), "folds[].runs[]", false, out)) return;
  if (read_single_run(s, out) || read_means(s, out) || read_validation(s, out)) return;
  const char* nothing = "the file has no test metrics (summary.test_mean_*, test_results, folds)";
  for (parity::NumberRead* number : {&out.dice, &out.avd, &out.mcc, &out.dice_std.std})
    number->missing = nothing;
}

/// The published model that the file says it is.
std::string variant_of(const Json& file) {
  const Json& config = member(file, "config");
  for (const Json* text :
       {&member(config, "model_variant"), &member(config, "variant"), &member(config, "model_name"),
        &member(config, "model"), &member(file, "model_name"), &member(file, "model")}) {
    if (!text->is_string()) continue;
    std::string key = parity::model_key(text->get<std::string>());
    if (std::ranges::count(parity::published_models(), key, &parity::PublishedModel::key) != 0)
      return key;
  }
  return "";
}

void require_known_schema(const Json& file, const std::string& name) {
  if (!file.is_object())
    throw Error(Error::Kind::input,
                name +
                    ": not an object of results; give experiment_results.json, a run's "
                    "results.json, or what 'assay score --out' wrote");
  const Json& schema = member(file, "schema");
  if (!file.contains("schema")) return;
  const std::string known = text_of(schema);
  if (known == segmentation_schema || known == folds_schema) return;
  throw Error(Error::Kind::input,
              fmt::format("{}: holds '{}', where '{}', '{}' or an experiment's results are needed",
                          name, known, segmentation_schema, folds_schema));
}

}  // namespace

parity::Achieved parse_experiment(std::string_view text, const std::string& name,
                                  const ExperimentReading& how) {
  Json file = parse_json(text, name);
  require_known_schema(file, name);
  parity::Achieved out = {.source = name};
  if (!how.compat_spec) average_again(text, file, out);
  const Json& summary = member(file, "summary");
  const bool nested = summary.is_object();
  read_block({file, nested ? summary : file, nested ? "summary" : "", how.compat_spec}, out);
  add_macro(text, file, out);
  add_runs(file, out);
  out.variant = variant_of(file);
  out.description = description_of(file, name);
  return out;
}

parity::Achieved read_experiment(const std::filesystem::path& path, const ExperimentReading& how) {
  return parse_experiment(read_text(path), path.string(), how);
}

parity::NetworkDescription parse_model_description(std::string_view text, const std::string& name) {
  parity::NetworkDescription found = description_of(parse_json(text, name), name);
  if (found.place.empty())
    throw Error(Error::Kind::input, name +
                                        ": has none of parameters, channels, dilations; see "
                                        "docs/parity.md for the names");
  return found;
}

parity::NetworkDescription read_model_description(const std::filesystem::path& path) {
  return parse_model_description(read_text(path), path.string());
}

}  // namespace assay::results
