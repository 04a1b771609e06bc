// SPDX-License-Identifier: Apache-2.0
/// Runs of question answering as people name them: folders and files.
#include "assay/qa.hpp"
#include "assay/qa/run/unfinished_run.hpp"

namespace assay::qa {

namespace fs = std::filesystem;

std::vector<fs::path> qa_files(const std::vector<std::string>& words) {
  std::vector<fs::path> out;
  for (const std::string& word : words) {
    if (!fs::is_directory(word)) {
      out.emplace_back(word);
      continue;
    }
    const auto found = files_of_run(word);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

std::vector<SavedQa> read_qa_runs(const std::vector<std::string>& words, const ItemTable* table) {
  std::vector<SavedQa> out;
  for (const fs::path& file : qa_files(words))
    for (SavedQa& saved :
         is_run_journal(file) ? read_unfinished_run(file, table) : read_qa_results(file, table))
      out.push_back(std::move(saved));
  return out;
}

}  // namespace assay::qa
