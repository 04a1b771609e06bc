// SPDX-License-Identifier: Apache-2.0
#include "assay/run/result_files.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <optional>

#include "assay/core/error.hpp"
#include "assay/core/nearest.hpp"
#include "assay/io/csv.hpp"
#include "assay/io/file.hpp"
#include "assay/io/results.hpp"

namespace assay {

std::vector<ResultTable> read_result_files(std::span<const std::string> paths, unsigned jobs) {
  std::vector<std::vector<ResultTable>> read(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  tbb::task_arena arena(static_cast<int>(jobs));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
      try {
        read[i] = read_results(paths[i]);
        for (ResultTable& table : read[i]) table.source = paths[i];
      } catch (const Error& error) {
        errors[i] = error;
      }
    });
  });
  for (const auto& error : errors)
    if (error) throw Error(*error);
  std::vector<ResultTable> tables;
  for (auto& several : read)
    for (ResultTable& table : several) tables.push_back(std::move(table));
  return tables;
}

std::size_t add_groups(std::vector<ResultTable>& tables, const std::filesystem::path& manifest) {
  const Csv csv = parse_csv(read_text(manifest), manifest.string());
  const auto id = csv.column("id");
  if (!id)
    throw Error(Error::Kind::input, manifest.string() + ": the manifest has no column 'id'" +
                                        did_you_mean("id", csv.header));
  std::map<std::string_view, const std::vector<std::string>*> rows;
  for (const auto& row : csv.rows)
    if (!rows.emplace(row[*id], &row).second)
      throw Error(Error::Kind::input,
                  manifest.string() + ": the case id '" + row[*id] + "' occurs twice");
  std::size_t known = 0;
  for (ResultTable& table : tables) {
    known += static_cast<std::size_t>(std::ranges::count_if(
        table.ids, [&](const std::string& one) { return rows.contains(one); }));
    for (std::size_t c = 0; c < csv.header.size(); ++c) {
      const std::string& column = csv.header[c];
      if (c == *id || column == "prediction" || column == "reference") continue;
      std::erase_if(table.groups, [&](const auto& group) { return group.first == column; });
      auto& [name, values] = table.groups.emplace_back();
      name = column;
      for (const std::string& one : table.ids) {
        const auto found = rows.find(one);
        values.push_back(found == rows.end() ? "" : (*found->second)[c]);
      }
      values.resize(table.cases);
    }
  }
  return known;
}

}  // namespace assay
