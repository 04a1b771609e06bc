// SPDX-License-Identifier: Apache-2.0
/// The members of the family `assay model`.
#pragma once

#include "cli/commands.hpp"

namespace assay::cli {

extern const Command model_show_command;

}  // namespace assay::cli
