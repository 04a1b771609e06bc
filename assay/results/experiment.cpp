// SPDX-License-Identifier: Apache-2.0
//
// The headline numbers come from one block of the file. The first block that has a Dice is taken as
// a whole, so values of different blocks are never mixed. Everything else in the file (other
// spreads, single values, counts of runs) is gathered afterwards and kept separately.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/parity.hpp"
#include "assay/parity/published.hpp"
#include "assay/results.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/readings.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/stats/moments.hpp"

namespace assay::results {
namespace {

struct Source {
  const Json& file;
  const Json& summary;  ///< of the file; the file itself when it is flat
  std::string at;       ///< "summary", or "" when flat
  bool compat = false;
};

bool has(const Json& object, std::string_view key) {
  return !member(object, key).is_null();
}

struct TestRun {
  const Json* entry = nullptr;
  std::string place;       ///< folds[0].runs[2]
  std::string outer_fold;  ///< "" when the file does not say
};

/// The name of a fold, given as a number or as text.
std::string fold_title(const Json& entry) {
  const Json& fold = member(entry, "outer_fold");
  return fold.is_number() || fold.is_string() ? to_text(fold, {.indent = 0}) : "";
}

/// The entries of `test_results`.
std::vector<TestRun> listed_runs(const Json& file) {
  std::vector<TestRun> runs;
  for (const Json& entry : elements(member(file, "test_results")))
    runs.push_back({.entry = &entry,
                    .place = "test_results[" + std::to_string(runs.size()) + "]",
                    .outer_fold = fold_title(entry)});
  return runs;
}

/// The entries of every `folds[].runs[]`.
std::vector<TestRun> fold_runs(const Json& file) {
  std::vector<TestRun> runs;
  std::size_t fold = 0;
  for (const Json& folds : elements(member(file, "folds"))) {
    const std::string place = "folds[" + std::to_string(fold++) + "]";
    std::size_t run = 0;
    for (const Json& entry : elements(member(folds, "runs"))) {
      std::string named = fold_title(entry);
      if (named.empty()) named = fold_title(folds);
      if (named.empty()) named = place;
      TestRun found = {.entry = &entry, .place = place, .outer_fold = named};
      found.place.append(".runs[").append(std::to_string(run++)).append("]");
      runs.push_back(found);
    }
  }
  return runs;
}

/// The SD of a block, converted to ddof 0.
parity::SpreadReading population_spread(parity::SpreadReading spread, double ddof) {
  const auto count = static_cast<double>(spread.n.value_or(0));
  if (spread.std.value && count > ddof) *spread.std.value *= std::sqrt((count - ddof) / count);
  return spread;
}

/// Reads `{mean, std, n, ddof}`. The SD is converted to ddof 0, which is assumed where the object
/// does not state it.
parity::SpreadReading spread_at(const Json& object, parity::SpreadOver over,
                                const std::string& place) {
  parity::SpreadReading out = {.over = over, .std = number_at(object, "std", place)};
  const Json &n = member(object, "n"), &ddof = member(object, "ddof");
  if (n.is_number_unsigned()) out.n = n.get<std::size_t>();
  return population_spread(out, ddof.is_number() ? ddof.get<double>() : 0);
}

bool has_spread(const parity::Achieved& out, parity::SpreadOver over) {
  if (out.dice_std.over == over && out.dice_std.std.value) return true;
  for (const parity::SpreadReading& spread : out.spreads)
    if (spread.over == over) return true;
  return false;
}

void add_spread(parity::Achieved& out, const parity::SpreadReading& spread) {
  if (spread.std.value && !has_spread(out, spread.over)) out.spreads.push_back(spread);
}

parity::SpreadReading spread_of(const std::vector<double>& values, parity::SpreadOver over,
                                const std::string& place) {
  parity::SpreadReading out = {
      .over = over, .std = {.place = "SD of " + place}, .n = values.size()};
  if (!values.empty()) out.std.value = stats::standard_deviation(values, 0);
  return out;
}

/// What the summary says about spreads: the original system's field, and ours under `spread`.
void add_summary_spreads(const Json& summary, std::size_t runs, parity::Achieved& out) {
  const parity::NumberRead per_run = number_at(summary, "test_std_dice_per_run", "summary");
  parity::SpreadReading over_runs = {.over = parity::SpreadOver::runs, .std = per_run};
  if (runs != 0) over_runs.n = runs;
  add_spread(out, over_runs);
  const Json& spreads = member(summary, "spread");
  for (const parity::SpreadOver over :
       {parity::SpreadOver::subjects, parity::SpreadOver::runs, parity::SpreadOver::outer_folds}) {
    const std::string key(name(over));
    const Json& metrics = member(spreads, key);
    add_spread(out, spread_at(member(metrics, "dice"), over, "summary.spread." + key + ".dice"));
    const Json& macro = member(metrics, "dice_macro");
    if (!macro.is_object()) continue;
    const std::string place = "summary.spread." + key + ".dice_macro";
    if (!out.dice_macro.value) out.dice_macro = number_at(macro, "mean", place);
    out.macro_spreads.push_back(spread_at(macro, over, place));
  }
}

std::string subject_name(const Json& run, std::size_t i) {
  for (const char* key : {"subject_ids", "subject_indices"})
    if (const auto& names = elements(member(run, key)); i < names.size())
      return to_text(names[i], {.indent = 0});
  return "#" + std::to_string(i);
}

/// One value per subject: the mean over the runs that tested it, as the original system pools.
parity::ScoreSample pooled_subjects(const std::vector<TestRun>& runs) {
  parity::ScoreSample sample = {.over = parity::SpreadOver::subjects,
                                .place = "per_subject_dice, pooled over runs"};
  std::map<std::string, std::vector<double>> subjects;
  for (const TestRun& run : runs) {
    const auto& values = elements(member(*run.entry, "per_subject_dice"));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].is_number() && std::isfinite(values[i].get<double>()))
        subjects[run.outer_fold + "/" + subject_name(*run.entry, i)].push_back(
            values[i].get<double>());
      else
        ++sample.left_out;
  }
  for (const auto& subject : subjects) sample.values.push_back(stats::mean(subject.second));
  return sample;
}

/// Subjects that `assay folds` has already pooled.
parity::ScoreSample listed_subjects(const Json& file) {
  parity::ScoreSample sample = {.over = parity::SpreadOver::subjects, .place = "cases[].dice"};
  for (const Json& one : elements(member(file, "cases"))) {
    const Json& dice = member(one, "dice");
    if (dice.is_number() && std::isfinite(dice.get<double>()))
      sample.values.push_back(dice.get<double>());
    else
      ++sample.left_out;
  }
  return sample;
}

struct RunValues {
  std::vector<double> dice;
  std::map<std::string, std::vector<double>> folds;
};

RunValues tested(const std::vector<TestRun>& runs) {
  RunValues out;
  for (const TestRun& run : runs)
    if (const auto dice = number_at(*run.entry, "test_dice", run.place).value) {
      out.dice.push_back(*dice);
      if (!run.outer_fold.empty()) out.folds[run.outer_fold].push_back(*dice);
    }
  return out;
}

void add_run_spreads(const RunValues& runs, const std::string& origin, parity::Achieved& out) {
  if (runs.dice.size() > 1)
    add_spread(out, spread_of(runs.dice, parity::SpreadOver::runs, origin + ".test_dice"));
  std::vector<double> folds;
  for (const auto& fold : runs.folds) folds.push_back(stats::mean(fold.second));
  if (folds.size() > 1)
    add_spread(
        out, spread_of(folds, parity::SpreadOver::outer_folds, "the outer folds' mean test_dice"));
}

/// Adds what the runs of the file say beyond its headline: spreads, single values, counts.
void add_runs(const Json& file, parity::Achieved& out) {
  std::vector<TestRun> runs = fold_runs(file);
  const bool listed = runs.empty();
  if (listed) runs = listed_runs(file);
  if (runs.empty() && !member(file, "test_dice").is_null())
    runs.push_back({.entry = &file, .place = "", .outer_fold = fold_title(file)});
  const RunValues values = tested(runs);
  if (!values.dice.empty()) out.runs = values.dice.size();
  if (!values.folds.empty()) out.outer_folds = values.folds.size();
  add_summary_spreads(member(file, "summary"), values.dice.size(), out);
  add_run_spreads(values, listed ? "test_results" : "folds[].runs[]", out);
  if (out.sample.values.empty()) out.sample = listed_subjects(file);
  if (out.sample.values.empty()) out.sample = pooled_subjects(runs);
  if (!out.sample.values.empty() && out.sample.over == parity::SpreadOver::subjects)
    add_spread(out, spread_of(out.sample.values, parity::SpreadOver::subjects, out.sample.place));
  if (out.sample.values.empty())
    out.sample = {
        .values = values.dice, .over = parity::SpreadOver::runs, .place = "test_dice of the runs"};
}

bool read_summary(const Source& s, parity::Achieved& out) {
  if (!has(s.summary, "test_mean_dice")) return false;
  out.origin = s.at.empty() ? "test_mean_*" : "summary";
  out.dice = number_at(s.summary, "test_mean_dice", s.at, s.compat);
  out.avd = number_at(s.summary, "test_mean_avd", s.at, s.compat);
  out.mcc = number_at(s.summary, "test_mean_mcc", s.at, s.compat);
  out.dice_std.std = number_at(s.summary, "test_std_dice", s.at, s.compat);
  // Systems that write one of these fields take this SD over subjects. Without them its meaning is
  // unknown.
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

/// The finite values of a block of the headline.
parity::ScoreSample sample_of(const HeadlineBlock& block) {
  parity::ScoreSample out = {.over = parity::SpreadOver::subjects,
                             .place = block.metric + ".values"};
  if (!block.values) return out;
  for (const auto& value : *block.values)
    if (value && std::isfinite(*value))
      out.values.push_back(*value);
    else
      ++out.left_out;
  return out;
}

/// Warns that means cover only the cases with a value, which can differ from metric to metric.
void warn_of_gaps(const SegmentationFile& file, parity::Achieved& out) {
  for (const char* metric : headline_metrics) {
    const HeadlineBlock* block = file.block(metric);
    if (block == nullptr || !block->values) continue;
    if (const std::size_t gaps = sample_of(*block).left_out; gaps != 0)
      out.warnings.push_back(std::string(metric) + " is undefined in " + std::to_string(gaps) +
                             " of " + counted(block->values->size(), "case") +
                             "; its mean is over the others");
  }
  if (file.ledger && file.ledger->scored < file.ledger->expected)
    out.warnings.push_back("only " + std::to_string(file.ledger->scored) + " of " +
                           counted(file.ledger->expected, "case") +
                           " were scored; the means are over those");
}

/// The values of the scored cases, finite or infinite, in the form of a file's first block.
HeadlineBlock block_of(const compare::MetricColumn& column, const std::vector<bool>& is_scored) {
  HeadlineBlock out = {.metric = column.name};
  out.values.emplace();
  std::vector<double> values;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (!is_scored[i]) continue;
    out.values->push_back(column.values[i]);
    if (column.values[i]) values.push_back(*column.values[i]);
  }
  out.mean.is_absent = out.std.is_absent = false;
  if (values.empty()) return out;
  out.mean.value = stats::mean(values);
  out.std.value = stats::standard_deviation(values, 0);
  return out;
}

/// Which cases of the table were scored. Files may also list failed cases, counted as worst.
std::vector<bool> scored_in(const SegmentationFile& file, const compare::ResultTable& table) {
  std::set<std::string_view> scored;
  for (const SavedCase& one : file.cases)
    if (one.record.fate == metrics::Fate::scored) scored.insert(one.record.id);
  std::vector<bool> out;
  for (const std::string& id : table.ids) out.push_back(scored.contains(id));
  return out;
}

/// Version 0.1 averaged labels and regions together, whatever the model left out, and did not say
/// over which keys. Its first block is recomputed from the values of the labels.
void average_again(SegmentationFile& file, parity::Achieved& out) {
  const compare::ResultTable table = table_of(file);
  const std::vector<bool> is_scored = scored_in(file, table);
  for (HeadlineBlock& block : file.headline) {
    const compare::MetricColumn* column = compare::column_of(table.averages, block.metric);
    if (column == nullptr) continue;
    const std::optional<double> old = std::exchange(block, block_of(*column, is_scored)).mean.value,
                                now = block.mean.value;
    if (old && now ? std::abs(*old - *now) <= 1e-9 : old == now) continue;
    out.warnings.push_back(block.metric +
                           ": this file of version 0.1 averages labels and regions together; its "
                           "mean was " +
                           or_null(old).dump() + ", and is " + or_null(now).dump() + " over " +
                           metrics::averaged_words(table.averaged));
  }
}

/// The macro Dice of our own files: as requested, or computed from the counts of their cases.
void add_macro(const SegmentationFile& file, bool is_old, parity::Achieved& out) {
  const auto asked = std::ranges::find(file.metrics, "dice_macro", &SavedSummary::key);
  if (asked != file.metrics.end() && !is_old) {
    const std::string place = "metrics.dice_macro";
    const metrics::Summary& summary = asked->summary;
    out.dice_macro = number_read({false, summary.mean}, place + ".mean");
    out.macro_spreads.push_back(
        population_spread({.over = parity::SpreadOver::subjects,
                           .std = number_read({false, summary.std}, place + ".std"),
                           .n = summary.n},
                          1));
  }
  if (!out.dice.value || out.dice_macro.value || file.cases.empty()) return;
  const compare::ResultTable table = table_of(file);
  const compare::MetricColumn* macro = compare::column_of(table.averages, "dice_macro");
  if (macro == nullptr) macro = compare::column_of(table.derived, "dice_macro");
  std::vector<double> values;
  if (macro != nullptr)
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

/// The first block of `assay.segmentation/1` and of the specification's EvaluationResult.
bool read_evaluation(std::string_view text, const Source& s, parity::Achieved& out) {
  const bool is_ours = member(s.file, "schema") == segmentation_schema;
  if (!member(s.file, "dice").is_object() || (s.file.contains("schema") && !is_ours)) return false;
  SegmentationFile file = parse_segmentation(text, out.source);
  const bool is_old = is_ours && !s.compat && !file.settings.names_averaged && !file.cases.empty();
  if (is_old) average_again(file, out);
  const auto told = [&](const std::string& metric, ToldNumber HeadlineBlock::*number) {
    const HeadlineBlock* block = file.block(metric);
    return number_read(block == nullptr ? ToldNumber{} : block->*number,
                       metric + (number == &HeadlineBlock::mean ? ".mean" : ".std"));
  };
  out.origin = "evaluation";
  out.dice = told("dice", &HeadlineBlock::mean);
  out.avd = told("avd", &HeadlineBlock::mean);
  out.mcc = told("mcc", &HeadlineBlock::mean);
  out.dice_std = {.over = parity::SpreadOver::subjects, .std = told("dice", &HeadlineBlock::std)};
  out.sample = sample_of(*file.block("dice"));
  if (!out.sample.values.empty()) out.dice_std.n = out.sample.values.size();
  warn_of_gaps(file, out);
  add_macro(file, is_old, out);
  return true;
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

/// The specification's defaults. They are invented, and a warning says so.
void invent(const Source& s, parity::Achieved& out) {
  read_validation(s, out);
  out.origin = "validation";
  const auto fill = [&](parity::NumberRead& number, double invented) {
    if (number.value) return;
    number.value = invented;
    out.warnings.push_back(number.missing + "; the specification puts " + shortest(invented) +
                           " in its place, which nobody measured");
  };
  out.avd = first_of(s, {"avd_mean"});  // the specification has only this name
  out.mcc = first_of(s, {"mcc_mean"});
  out.dice_std.std = first_of(s, {"val_std_dice", "std_dice"});
  fill(out.dice, 0.0);
  fill(out.dice_std.std, 0.0);
  fill(out.avd, 0.3);
  fill(out.mcc, 0.7);
}

void read_block(std::string_view text, const Source& s, parity::Achieved& out) {
  if (read_evaluation(text, s, out) || read_summary(s, out)) return;
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
  const Json file = parse_json(text, name);
  require_known_schema(file, name);
  parity::Achieved out = {.source = name};
  const Json& summary = member(file, "summary");
  const bool nested = summary.is_object();
  read_block(text, {file, nested ? summary : file, nested ? "summary" : "", how.compat_spec}, out);
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
