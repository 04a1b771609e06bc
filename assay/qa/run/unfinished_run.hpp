// SPDX-License-Identifier: Apache-2.0
/// A run that goes on, or was killed, as results: from its journal, without its lock.
#pragma once

#include <filesystem>
#include <vector>

#include "assay/qa.hpp"

namespace assay::qa {

/// Where the results of a run's folder are: its results files, sorted. If the last start has not
/// written its results, its journal takes the place of those that are missing or older. Throws
/// Error::input when there is neither.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& folder);

/// Whether a file is the journal of a run, by its name.
bool is_run_journal(const std::filesystem::path& path);

/// What a journal has, one result per benchmark, each marked as unfinished. Runs that were begun by
/// version 0.1 need their table. Throws Error.
std::vector<SavedQa> read_unfinished_run(const std::filesystem::path& journal,
                                         const ItemTable* table = nullptr);

}  // namespace assay::qa
