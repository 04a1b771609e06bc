// SPDX-License-Identifier: Apache-2.0
/// assay qa: the family of commands for whole-slide question answering; one file each.
#include "cli/qa.hpp"

#include <algorithm>
#include <array>

namespace assay::cli {
namespace {

constexpr std::array members = {&qa_check_command,   &qa_run_command,  &qa_score_command,
                                &qa_compare_command, &qa_show_command, &qa_fetch_command};

constexpr Example examples[] = {
    {"assay qa check MultiPathQA.csv --wsi-root slides",
     "which slides are there, before any money is spent"},
    {"assay qa run MultiPathQA.csv --wsi-root slides --agent openai --model gpt-5 --out run",
     "asks every question; start it again after any interruption"},
    {"assay qa score run", "accuracy with intervals, from what is on disk"},
};

}  // namespace

std::vector<std::string> benchmark_names(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    if (comma > start) out.push_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  return out;
}

const Command qa_command = {.name = "qa",
                            .summary = "Run and score question answering on whole slides",
                            .declare = nullptr,
                            .examples = examples,
                            .members = members};

}  // namespace assay::cli
