// SPDX-License-Identifier: Apache-2.0
/// assay qa: the family of commands for whole-slide question answering; one file each.
#include "cli/qa.hpp"

#include <array>

namespace assay::cli {
namespace {

constexpr std::array<const Command*, 1> members = {&qa_fetch_command};

constexpr Example examples[] = {
    {"assay qa check MultiPathQA.csv --wsi-root slides",
     "which slides are there, before any money is spent"},
    {"assay qa run MultiPathQA.csv --wsi-root slides --agent openai --model gpt-5 --out run",
     "asks every question; start it again after any interruption"},
    {"assay qa score run", "accuracy with intervals, from what is on disk"},
};

}  // namespace

const Command qa_command = {.name = "qa",
                            .summary = "Run and score question answering on whole slides",
                            .declare = nullptr,
                            .examples = examples,
                            .members = members};

}  // namespace assay::cli
