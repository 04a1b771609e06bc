// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/models.hpp"

#include <algorithm>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/cohort.hpp"
#include "assay/error.hpp"

namespace assay::compare {
namespace {

/// The last `parts` folders of a path and the file name without its extension.
std::string tail_of(std::string_view path, std::size_t parts) {
  const std::size_t slash = path.find_last_of('/');
  const std::size_t dot = path.find_last_of('.');
  const bool has_extension = dot != path.npos && (slash == path.npos || dot > slash + 1);
  if (has_extension) path = path.substr(0, dot);
  std::size_t start = path.size();
  for (std::size_t i = 0; i <= parts && start != path.npos && start != 0; ++i)
    start = path.find_last_of('/', start - 1);
  return std::string(start == path.npos || start == 0 ? path : path.substr(start + 1));
}

bool all_differ(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

std::vector<std::string> names_of(std::span<const ResultTable> tables) {
  std::vector<std::string> names;
  for (const ResultTable& table : tables) names.push_back(table.model_name);
  return names;
}

void refuse_repetition(std::span<const ResultTable> tables) {
  for (std::size_t a = 0; a < tables.size(); ++a)
    for (std::size_t b = a + 1; b < tables.size(); ++b)
      if (tables[a].source == tables[b].source && tables[a].model_name == tables[b].model_name)
        throw Error(Error::Kind::usage, tables[a].source,
                    "model '" + tables[a].model_name +
                        "' is given twice; a model cannot be compared with itself");
}

}  // namespace

std::vector<ResultTable> named_apart(std::vector<ResultTable> tables,
                                     std::vector<std::string>& notes) {
  if (tables.size() < 2)
    throw Error(
        Error::Kind::usage,
        tables.empty()
            ? "give at least two results files"
            : tables.front().source +
                  ": holds one model; give the results of another model to compare it with");
  refuse_repetition(tables);
  const std::vector<std::string> given = names_of(tables);
  std::vector<std::string> names = given;
  constexpr std::size_t most_folders = 4;
  for (std::size_t parts = 0; parts <= most_folders && !all_differ(names); ++parts)
    for (std::size_t m = 0; m < tables.size(); ++m)
      if (std::ranges::count(given, given[m]) > 1) names[m] = tail_of(tables[m].source, parts);
  if (!all_differ(names))
    throw Error(Error::Kind::usage, "the models' names do not tell them apart (" + joined(names) +
                                        "); score them again with other --model names");
  for (std::size_t m = 0; m < tables.size(); ++m) {
    if (names[m] == given[m]) continue;
    std::string note = "several models are called '" + given[m];
    notes.push_back(
        note.append("'; ").append(tables[m].source).append(" is shown as ").append(names[m]));
    tables[m].model_name = names[m];
  }
  return tables;
}

std::size_t baseline_among(std::span<const ResultTable> tables, std::string_view baseline) {
  const std::vector<std::string> names = names_of(tables);
  if (baseline.empty()) {
    if (tables.size() == 2) return 0;
    throw Error(Error::Kind::usage, "say which of the " + std::to_string(tables.size()) +
                                        " models is the baseline: --baseline NAME (" +
                                        joined(names) + ")");
  }
  const auto named = std::ranges::find(names, baseline);
  if (named != names.end()) return static_cast<std::size_t>(named - names.begin());
  std::vector<std::size_t> of_file;
  for (std::size_t m = 0; m < tables.size(); ++m)
    if (tables[m].source == baseline || tail_of(tables[m].source, 0) == baseline)
      of_file.push_back(m);
  if (of_file.size() == 1) return of_file.front();
  throw Error(Error::Kind::usage, "no model is called '" + std::string(baseline) + "'" +
                                      did_you_mean(baseline, names) + " (models: " + joined(names) +
                                      ")");
}

namespace {

/// Files of different tools may spell one label in two ways.
bool same_region(const metrics::Region& a, const metrics::Region& b) {
  if (!a.members.empty() && !b.members.empty()) return a.members == b.members;
  return a.key == b.key || a.key == b.name || a.name == b.key || a.name == b.name;
}

bool is_within(const std::vector<metrics::Region>& part,
               const std::vector<metrics::Region>& whole) {
  return std::ranges::all_of(part, [&](const metrics::Region& a) {
    return std::ranges::any_of(whole, [&](const metrics::Region& b) { return same_region(a, b); });
  });
}

bool is_foreground(const std::vector<metrics::Region>& regions) {
  return regions.size() == 1 && regions.front() == metrics::foreground_region();
}

std::string words_of(const AveragedFile& one) {
  constexpr std::size_t most = 12;
  return one.file + " is over " + metrics::averaged_words(one.averaged, most);
}

}  // namespace

void require_same_averages(std::span<const AveragedFile> files, std::vector<std::string>& notes) {
  const AveragedFile* first = nullptr;
  for (const AveragedFile& one : files) {
    if (one.averaged.empty()) continue;
    if (first == nullptr) first = &one;
    if (is_within(one.averaged, first->averaged) && is_within(first->averaged, one.averaged))
      continue;
    const std::string both = words_of(*first) + ", that of " + words_of(one);
    const bool one_each = first->averaged.size() == 1 && one.averaged.size() == 1;
    if (one_each && (is_foreground(first->averaged) || is_foreground(one.averaged))) {
      notes.push_back("the value of " + both + "; they are treated as the same");
      continue;
    }
    throw Error(Error::Kind::usage,
                "the averages are of different things: that of " + both +
                    "; choose a label or region that all files have with --label, or score "
                    "again with the same --labels and --region");
  }
}

void require_same_averages(std::span<const ResultTable> tables, std::vector<std::string>& notes) {
  std::vector<AveragedFile> files;
  for (const ResultTable& table : tables) files.push_back({table.source, table.averaged});
  require_same_averages(files, notes);
}

}  // namespace assay::compare
