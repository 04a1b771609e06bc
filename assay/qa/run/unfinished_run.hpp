// SPDX-License-Identifier: Apache-2.0
/// A run that goes on, or was killed, as results: from its journal, without its lock.
#pragma once

#include <filesystem>
#include <vector>

#include "assay/qa.hpp"

namespace assay::qa {

/// What a journal has, one result per benchmark, each marked as unfinished. Runs that were begun by
/// version 0.1 need their table. Throws Error.
std::vector<SavedQa> read_unfinished_run(const std::filesystem::path& journal,
                                         const ItemTable* table = nullptr);

}  // namespace assay::qa
