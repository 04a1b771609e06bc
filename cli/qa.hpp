// SPDX-License-Identifier: Apache-2.0
/// The members of `assay qa`.
#pragma once

#include "cli/commands.hpp"

namespace assay::cli {

extern const Command qa_check_command, qa_run_command, qa_score_command, qa_compare_command,
    qa_show_command, qa_fetch_command;

}  // namespace assay::cli
