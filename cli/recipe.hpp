// SPDX-License-Identifier: Apache-2.0
/// The members of the family `assay recipe`.
#pragma once

#include "cli/commands.hpp"

namespace assay::cli {

extern const Command recipe_show_command, recipe_apply_command;

}  // namespace assay::cli
