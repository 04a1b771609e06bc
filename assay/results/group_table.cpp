// SPDX-License-Identifier: Apache-2.0
#include "assay/results/group_table.hpp"

#include <algorithm>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::results {
namespace {

std::size_t id_column(const Csv& csv, const std::string& source) {
  for (const char* name : {"id", "participant_id"})
    if (const auto found = csv.column(name)) return *found;
  throw Error(Error::Kind::input,
              source + ": has no column 'id' or 'participant_id'" + did_you_mean("id", csv.header));
}

/// A manifest may serve as a table of groups. Its columns of files are not groups.
bool is_group(const std::string& column) {
  return column != "prediction" && column != "reference" && column != "image";
}

/// Whether a row names a subject, and the case has every entity of the row with the same value.
bool is_stated(const Entities& of_row, const Entities& of_case) {
  return of_row.contains("sub") && std::ranges::all_of(of_row, [&](const auto& entity) {
           const auto found = of_case.find(entity.first);
           return found != of_case.end() && found->second == entity.second;
         });
}

}  // namespace

GroupTable::GroupTable(const std::filesystem::path& path) : source_(path.string()) {
  const Csv csv = parse_csv(read_text(path), source_);
  const std::size_t id = id_column(csv, source_);
  for (std::size_t c = 0; c < csv.header.size(); ++c)
    if (c != id && is_group(csv.header[c])) columns_.push_back(csv.header[c]);
  for (const auto& fields : csv.rows) {
    Row& row = rows_.emplace_back(Row{fields[id], entities(fields[id]), {}});
    for (std::size_t c = 0; c < fields.size(); ++c)
      if (c != id && is_group(csv.header[c])) row.values.push_back(fields[c]);
  }
  if (rows_.empty()) throw Error(Error::Kind::input, source_ + ": lists no case");
  std::ranges::sort(rows_, {}, &Row::id);
  const auto twice = std::ranges::adjacent_find(rows_, {}, &Row::id);
  if (twice != rows_.end())
    throw Error(Error::Kind::input, source_ + ": the case id '" + twice->id + "' occurs twice");
}

const std::vector<std::string>* GroupTable::values_of(const std::string& id) const {
  const auto same = std::ranges::lower_bound(rows_, id, {}, &Row::id);
  if (same != rows_.end() && same->id == id) return &same->values;
  const Entities of_case = entities(id);
  const Row* best = nullptr;
  std::size_t most = 0;
  for (const Row& row : rows_) {
    if (row.entities.size() <= most || !is_stated(row.entities, of_case)) continue;
    best = &row;
    most = row.entities.size();
  }
  return best == nullptr ? nullptr : &best->values;
}

std::vector<std::string> GroupTable::without_row(std::span<const std::string> ids) const {
  std::vector<std::string> out;
  std::ranges::copy_if(ids, std::back_inserter(out),
                       [&](const std::string& id) { return values_of(id) == nullptr; });
  return out;
}

std::string GroupTable::trouble(std::span<const std::string> without_row, std::size_t cases) const {
  const std::string& first = without_row.front();
  if (without_row.size() == cases)
    return source_ + ": none of its ids is the id of a case: it has '" + rows_.front().id +
           "', and a case is called '" + first + "'";
  return source_ + ": " + std::to_string(without_row.size()) + " of " + counted(cases, "case") +
         " have no row, such as " + first + "; their groups are empty";
}

}  // namespace assay::results
