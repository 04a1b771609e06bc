// SPDX-License-Identifier: Apache-2.0
/// Runs of question answering as people name them: folders and files.
#include <algorithm>

#include "assay/error.hpp"
#include "assay/qa.hpp"

namespace assay::qa {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> qa_results_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().ends_with("_results.json")) out.push_back(entry.path());
  if (out.empty())
    throw Error(Error::Kind::input, folder, "has no *_results.json; 'assay qa run' writes them");
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<fs::path> qa_files(const std::vector<std::string>& words) {
  std::vector<fs::path> out;
  for (const std::string& word : words) {
    if (!fs::is_directory(word)) {
      out.emplace_back(word);
      continue;
    }
    const auto found = qa_results_in(word);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

std::vector<SavedQa> read_qa_runs(const std::vector<std::string>& words, const ItemTable* table) {
  std::vector<SavedQa> out;
  for (const fs::path& file : qa_files(words))
    for (SavedQa& saved : read_qa_results(file, table)) out.push_back(std::move(saved));
  return out;
}

}  // namespace assay::qa
