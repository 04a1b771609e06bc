// SPDX-License-Identifier: Apache-2.0
#include "assay/results/experiment_runs.hpp"

#include <cmath>
#include <map>

#include "assay/results/readings.hpp"
#include "assay/stats/moments.hpp"

namespace assay::results {
namespace {

/// How a fold names itself: by number or by text.
std::string fold_title(const Json& entry) {
  const Json& fold = member(entry, "outer_fold");
  return fold.is_number() || fold.is_string() ? to_text(fold, {.indent = 0}) : "";
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
    add_spread(out, spread_at(member(metrics, "dice"), over, "summary.spread." + key + ".dice", 0));
    const Json& macro = member(metrics, "dice_macro");
    if (!macro.is_object()) continue;
    const std::string place = "summary.spread." + key + ".dice_macro";
    if (!out.dice_macro.value) out.dice_macro = number_at(macro, "mean", place);
    out.macro_spreads.push_back(spread_at(macro, over, place, 0));
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

/// Subjects that `assay folds` has pooled already.
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

}  // namespace

std::vector<TestRun> listed_runs(const Json& file) {
  std::vector<TestRun> runs;
  for (const Json& entry : elements(member(file, "test_results")))
    runs.push_back({.entry = &entry,
                    .place = "test_results[" + std::to_string(runs.size()) + "]",
                    .outer_fold = fold_title(entry)});
  return runs;
}

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

parity::SpreadReading spread_at(const Json& object, parity::SpreadOver over,
                                const std::string& place, double usual_ddof) {
  parity::SpreadReading out = {.over = over, .std = number_at(object, "std", place)};
  const Json& n = member(object, "n");
  if (!n.is_number_unsigned()) return out;
  out.n = n.get<std::size_t>();
  const Json& ddof = member(object, "ddof");
  const double lost = ddof.is_number() ? ddof.get<double>() : usual_ddof;
  const auto count = static_cast<double>(*out.n);
  if (out.std.value && count > lost) *out.std.value *= std::sqrt((count - lost) / count);
  return out;
}

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

}  // namespace assay::results
