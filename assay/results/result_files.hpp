// SPDX-License-Identifier: Apache-2.0
/// The results files of a comparison, read side by side.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/compare/result_table.hpp"

namespace assay::results {

/// All models of all files, in the order given. The first file that cannot be read decides the
/// Error, whatever the number of threads.
std::vector<compare::ResultTable> read_result_files(std::span<const std::string> paths,
                                                    unsigned jobs);

/// Adds the columns of a table (see group_table.hpp) to the groups of the cases. Notes which cases
/// have no row in it.
std::vector<std::string> add_groups(std::vector<compare::ResultTable>& tables,
                                    const std::filesystem::path& path);

}  // namespace assay::results
