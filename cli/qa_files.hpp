// SPDX-License-Identifier: Apache-2.0
/// Runs of question answering as people name them: folders and files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/qa.hpp"

namespace assay::cli {

/// The results files that the words mean: a folder stands for all *_results.json in it, sorted.
/// Throws Error when a folder has none.
std::vector<std::filesystem::path> qa_files(const std::vector<std::string>& words);

std::vector<qa::SavedQa> read_qa_runs(const std::vector<std::string>& words,
                                      const qa::ItemTable* table = nullptr);

}  // namespace assay::cli
