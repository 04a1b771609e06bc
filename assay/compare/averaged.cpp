// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/averaged.hpp"

#include <algorithm>

#include "assay/cohort.hpp"
#include "assay/error.hpp"

namespace assay::compare {
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
