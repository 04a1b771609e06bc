// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/cross_validation.hpp"

#include <fmt/format.h>

#include <numeric>

#include "assay/base/text.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/stats/folds.hpp"

namespace assay::report {
namespace {

std::string shown(const compare::Value& x) {
  return x ? fmt::format("{:.3f}", *x) : "–";
}

std::string headline(const compare::CrossValidation& result, const results::RunFolders& folders,
                     const TerminalStyle& style) {
  const std::string name = printable(folders.name);
  return fmt::format("{}: {} of {} · {} · {} · restarts: {}\n", bold(name, style.color),
                     folders.ledger.read, counted(folders.ledger.expected, "run"),
                     counted(result.folds.size(), "outer fold"),
                     counted(result.subjects.size(), "subject"), compare::name(result.restarts));
}

std::vector<std::string> spread_row(const std::string& metric, const char* over,
                                    const compare::Spread& s) {
  return {printable(metric),   over,
          shown(s.mean),       shown(s.std),
          std::to_string(s.n), s.undefined == 0 ? "–" : std::to_string(s.undefined)};
}

std::string spread_table(const compare::CrossValidation& result) {
  std::vector<std::vector<std::string>> rows;
  for (const compare::NamedSpreads& s : result.spreads) {
    rows.push_back(spread_row(s.metric, "subjects", s.subjects));
    rows.push_back(spread_row("", "runs", s.runs));
    rows.push_back(spread_row("", "outer folds", s.outer_folds));
    if (s.restarts.std)
      rows.push_back({"", "restarts within a fold", "–", shown(s.restarts.std),
                      fmt::format("{} df", s.restarts.degrees), "–"});
  }
  return text_table(
      {{"", Align::left}, {"spread over", Align::left}, {"mean"}, {"SD"}, {"n"}, {"undefined"}},
      rows);
}

std::string fold_table(const compare::CrossValidation& result) {
  std::vector<Column> columns = {{"outer fold", Align::left}, {"runs"}, {"subjects"}};
  for (const std::string& metric : result.metrics) columns.push_back({printable(metric)});
  if (result.restarts == compare::Restarts::best) columns.push_back({"restart taken"});
  std::vector<std::vector<std::string>> rows;
  for (const compare::OuterFold& fold : result.folds) {
    auto& row = rows.emplace_back();
    row = {std::to_string(fold.number), std::to_string(fold.runs.size()),
           std::to_string(fold.subjects.size())};
    for (const compare::Spread& s : fold.over_subjects)
      row.push_back(fmt::format("{} ({})", shown(s.mean), shown(s.std)));
    if (fold.best) row.push_back(std::to_string(fold.runs[*fold.best].run.restart));
  }
  return text_table(columns, rows) + "mean (SD) over the subjects of each outer fold; ddof 1\n";
}

/// Which of the standard deviations answers which question, by the example of the first metric.
std::string advice(const compare::CrossValidation& result) {
  const compare::NamedSpreads& s = result.spreads.front();
  const auto told = [&](const compare::Spread& of) {
    return fmt::format("{} {}, n = {}", printable(s.metric), shown(of.std), of.n);
  };
  std::string out = fmt::format(
      "\nPublish the SD over subjects ({}) as the spread between patients", told(s.subjects));
  if (s.runs.n < 2)
    out +=
        ".\nThere is only one run, so the spread of training is unknown; a paper's SD between runs "
        "compares with that.\n";
  else
    out += fmt::format(
        " and,\nlabelled as such, the SD over runs ({}) as the spread of training;\na paper's SD "
        "between runs is comparable only with the latter.\n",
        told(s.runs));
  if (s.runs.n > 1 && s.runs.population_std)
    out += fmt::format(
        "Every SD here has ddof 1; 'assay parity' judges the SD over runs with ddof 0, as "
        "specified: {}.\n",
        shown(s.runs.population_std));
  if (s.runs.n > 1 && result.folds.size() == 1)
    out += "There is only one outer fold, so the spread over outer folds is unknown.\n";
  if (result.restarts == compare::Restarts::best)
    out +=
        "OPTIMISTIC: restarts were chosen by their Dice on the test set; publish --restarts mean "
        "or median.\n";
  return out;
}

}  // namespace

std::string cross_validation_report(const compare::CrossValidation& result,
                                    const results::RunFolders& folders,
                                    const TerminalStyle& style) {
  return headline(result, folders, style) + "\n" + spread_table(result) + "\n" +
         fold_table(result) + advice(result);
}

namespace {

constexpr std::size_t most_rows = 40;  // nobody reads more

std::vector<std::string> split_row(const std::string& name,
                                   const std::vector<std::size_t>& counts) {
  std::vector<std::string> row = {printable(name)};
  for (const std::size_t count : counts) row.push_back(std::to_string(count));
  row.push_back(std::to_string(std::accumulate(counts.begin(), counts.end(), std::size_t{0})));
  return row;
}

/// A group is in one fold only, so its first case tells which.
std::vector<std::size_t> groups_by_fold(const std::vector<std::size_t>& groups,
                                        const stats::FoldNumbers& outer, std::size_t folds) {
  std::vector<std::size_t> out(folds);
  for (const auto& of_group : stats::members(groups, outer, folds))
    for (std::size_t f = 0; f < folds; ++f)
      if (of_group[f] != 0) ++out[f];
  return out;
}

}  // namespace

std::string balance_table(const results::SplitManifest& manifest,
                          const results::SplitSettings& settings, const stats::NestedFolds& folds) {
  std::vector<Column> columns = {{"tested in", Align::left}};
  for (std::size_t f = 0; f < settings.outer; ++f) columns.push_back({fmt::format("fold {}", f)});
  columns.push_back({"all"});
  const std::vector<std::size_t> one_class(manifest.ids.size());
  std::vector<std::vector<std::string>> rows = {
      split_row("cases", stats::members(one_class, folds.outer, settings.outer).front())};
  if (!manifest.items.groups.empty())
    rows.push_back(
        split_row("groups", groups_by_fold(manifest.items.groups, folds.outer, settings.outer)));
  const auto strata = stats::members(manifest.items.classes, folds.outer, settings.outer);
  for (std::size_t s = 0; s < strata.size() && s < most_rows; ++s)
    rows.push_back(split_row("  " + manifest.strata[s], strata[s]));
  std::string out = text_table(columns, rows);
  if (strata.size() > most_rows)
    out += fmt::format("… and {} more strata\n", strata.size() - most_rows);
  return out;
}

}  // namespace assay::report
