// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/split.hpp"

#include <fmt/format.h>

#include <numeric>

#include "assay/report/text/text_table.hpp"
#include "assay/stats/folds.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_rows = 40;  // beyond, nobody reads on

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
