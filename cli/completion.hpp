// SPDX-License-Identifier: Apache-2.0
/// Completion of commands and options in shells, from the declarations that the parser uses.
#pragma once

#include <string>

namespace assay::cli {

/// Scripts that a shell sources or finds in its completion folder.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace assay::cli
