// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "assay/base/bids.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/models.hpp"
#include "assay/error.hpp"

namespace assay::compare {
namespace {

constexpr std::size_t listed = 5;  // cases that a message names; the result lists all

/// Whether the cases have ids of their own, not only those by position.
bool has_ids(const ResultTable& table) {
  for (std::size_t i = 0; i < table.ids.size(); ++i)
    if (table.ids[i] != position_id(i + 1)) return true;
  return false;
}

/// By position, the failures of a file would move its later cases to other places.
void require_same_ids(std::span<const ResultTable> tables) {
  const auto named = std::ranges::find_if(tables, has_ids);
  for (const ResultTable& table : tables)
    if (has_ids(table) && table.ids != named->ids)
      throw Error(Error::Kind::usage, "--by-position: " + named->source + " and " + table.source +
                                          " both have case ids, which differ; drop the option to "
                                          "pair cases by id");
}

Matching by_position(std::span<const ResultTable> tables) {
  require_same_ids(tables);
  Matching matching;
  const ResultTable& first = tables.front();
  for (const ResultTable& table : tables) {
    if (table.cases != first.cases)
      throw Error(Error::Kind::input,
                  "--by-position needs files of the same length: " + first.source + " has " +
                      counted(first.cases, "case") + ", " + table.source + " has " +
                      std::to_string(table.cases));
    matching.places.emplace_back(table.cases);
    std::iota(matching.places.back().begin(), matching.places.back().end(), std::size_t{0});
    if (has_ids(table) && !table.unscored.empty())
      matching.notes.push_back(table.source + ": --by-position leaves out " +
                               counted(table.unscored.size(), "case") + " without a score");
  }
  if (first.cases == 0) throw Error(Error::Kind::input, first.source, "has no case");
  for (std::size_t i = 0; i < first.cases; ++i)
    matching.ids.push_back(first.ids.empty() ? std::to_string(i + 1) : first.ids[i]);
  return matching;
}

using Index = std::map<std::string_view, std::size_t>;

Index index_of(const ResultTable& table) {
  if (table.ids.empty())
    throw Error(Error::Kind::input, table.source,
                "has no case ids; --by-position pairs the n-th values, if the "
                "files are known to list the same cases in the same order");
  Index index;
  for (std::size_t i = 0; i < table.ids.size(); ++i)
    if (!index.emplace(table.ids[i], i).second)
      throw Error(Error::Kind::input, table.source,
                  "the case id '" + table.ids[i] + "' occurs twice");
  return index;
}

std::string why_absent(const ResultTable& table, std::string_view id) {
  const auto found = std::ranges::find(table.unscored, id, &UnscoredCase::id);
  return found == table.unscored.end() ? "not in " + table.source : found->reason;
}

Error different_cases(const Matching& matching) {
  std::string text = "the files have different cases: ";
  for (std::size_t i = 0; i < std::min(listed, matching.left_out.size()); ++i) {
    const LeftOut& one = matching.left_out[i];
    text.append(i == 0 ? "" : "; ").append("'").append(one.id).append("' has no score of ");
    text.append(one.model).append(" (").append(one.reason).append(")");
  }
  if (matching.left_out.size() > listed)
    text.append("; and ").append(std::to_string(matching.left_out.size() - listed)).append(" more");
  if (matching.ids.empty())
    return {Error::Kind::input, text +
                                    "; no case is in all of them; spell the ids the same way in "
                                    "all files"};
  return {Error::Kind::input, text + "; --intersect compares the " +
                                  counted(matching.ids.size(), "case") + " that all have"};
}

bool is_entity_id(const std::string& id) {
  const std::vector<std::string> keys = stated_entities({&id, 1});
  return id.starts_with("sub-") && entity_id(entities(id), keys) == id;
}

/// The ids of a table's cases, unscored ones included, made from these entities. Empty unless all
/// are paths in a BIDS tree and the entities distinguish them.
std::vector<std::string> renamed(const ResultTable& table, std::span<const std::string> keys) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  const auto add = [&](const std::string& id) {
    out.push_back(entity_id(entities(id), keys));
    return is_in_subject_folder(id) && seen.insert(out.back()).second;
  };
  if (std::ranges::all_of(table.ids, add) &&
      std::ranges::all_of(table.unscored, add, &UnscoredCase::id))
    return out;
  return {};
}

}  // namespace

void use_entity_ids(std::span<ResultTable> tables) {
  std::vector<std::string> stated;
  for (const ResultTable& table : tables)
    if (std::ranges::all_of(table.ids, is_entity_id))
      stated.insert(stated.end(), table.ids.begin(), table.ids.end());
  const std::vector<std::string> keys = stated_entities(stated);
  if (keys.empty()) return;
  for (ResultTable& table : tables) {
    std::vector<std::string> ids = renamed(table, keys);
    if (ids.empty()) continue;
    for (std::size_t i = 0; i < table.unscored.size(); ++i)
      table.unscored[i].id = std::move(ids[table.ids.size() + i]);
    ids.resize(table.ids.size());
    table.file_ids = std::exchange(table.ids, std::move(ids));
  }
}

Matching matched_cases(std::span<const ResultTable> tables, const MatchOptions& options) {
  if (options.by_position) return by_position(tables);
  std::vector<Index> indices;
  std::map<std::string_view, std::size_t> seen;  // in how many models
  for (const ResultTable& table : tables) {
    indices.push_back(index_of(table));
    for (const auto& entry : indices.back()) ++seen[entry.first];
  }
  Matching matching;
  matching.places.resize(tables.size());
  for (const auto& [id, count] : seen) {
    if (count == tables.size()) matching.ids.emplace_back(id);
    for (std::size_t m = 0; m < tables.size(); ++m) {
      const auto found = indices[m].find(id);
      if (count == tables.size())
        matching.places[m].push_back(found->second);
      else if (found == indices[m].end())
        matching.left_out.push_back(
            {std::string(id), tables[m].model_name, why_absent(tables[m], id)});
    }
  }
  if (matching.ids.empty() || (!matching.left_out.empty() && !options.intersect))
    throw different_cases(matching);
  return matching;
}

}  // namespace assay::compare
