// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <optional>
#include <set>

#include "assay/error.hpp"
#include "assay/results.hpp"
#include "assay/results/group_table.hpp"

namespace assay::results {

std::vector<compare::ResultTable> read_result_files(std::span<const std::string> paths,
                                                    unsigned jobs) {
  std::vector<std::vector<compare::ResultTable>> read(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  tbb::task_arena arena(static_cast<int>(jobs));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
      try {
        read[i] = read_results(paths[i]);
        for (compare::ResultTable& table : read[i]) table.source = paths[i];
      } catch (const Error& error) {
        errors[i] = error;
      }
    });
  });
  for (const auto& error : errors)
    if (error) throw Error(*error);
  std::vector<compare::ResultTable> tables;
  for (auto& several : read)
    for (compare::ResultTable& table : several) tables.push_back(std::move(table));
  return tables;
}

std::vector<std::string> add_groups(std::vector<compare::ResultTable>& tables,
                                    const std::filesystem::path& path) {
  const GroupTable groups(path);
  std::set<std::string> ids;
  for (compare::ResultTable& table : tables) {
    ids.insert(table.ids.begin(), table.ids.end());
    for (std::size_t c = 0; c < groups.columns().size(); ++c) {
      const std::string& column = groups.columns()[c];
      std::erase_if(table.groups, [&](const auto& group) { return group.first == column; });
      auto& [name, values] = table.groups.emplace_back();
      name = column;
      for (const std::string& id : table.ids) {
        const auto* const row = groups.values_of(id);
        values.push_back(row == nullptr ? "" : (*row)[c]);
      }
      values.resize(table.cases);
    }
  }
  const auto without = groups.without_row(std::vector<std::string>(ids.begin(), ids.end()));
  if (without.empty()) return {};
  return {"--groups: " + groups.trouble(without, ids.size())};
}

}  // namespace assay::results
