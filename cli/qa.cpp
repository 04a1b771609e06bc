// SPDX-License-Identifier: Apache-2.0
/// assay qa: the family of commands for whole-slide question answering; one file each.
#include <array>

#include "cli/commands.hpp"

namespace assay::cli {
namespace qa_file {
namespace {

constexpr std::array members = {&qa_check_command,   &qa_run_command,  &qa_score_command,
                                &qa_compare_command, &qa_show_command, &qa_status_command,
                                &qa_salvage_command, &qa_fetch_command};

constexpr Example examples[] = {
    {"assay qa check MultiPathQA.csv --wsi-root slides",
     "which slides were found, before any money is spent"},
    {"assay qa run MultiPathQA.csv --wsi-root slides --agent openai --model gpt-5 --out run",
     "asks every question; run it again after an interruption"},
    {"assay qa score run", "accuracy with intervals, from what is on disk"},
};

}  // namespace
}  // namespace qa_file

const Command qa_command = {
    .name = "qa",
    .summary = "Run and score question-answering benchmarks on whole slides",
    .declare = nullptr,
    .examples = qa_file::examples,
    .members = qa_file::members};

}  // namespace assay::cli
