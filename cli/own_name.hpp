// SPDX-License-Identifier: Apache-2.0
/// Commands that people can paste.
#pragma once

#include <filesystem>
#include <string>

namespace assay::cli {

/// How this very program is called from the current folder: by its name if the PATH leads to it,
/// else by its path.
std::string own_name();

/// A path as one word of a shell.
std::string shell_word(const std::filesystem::path& path);

}  // namespace assay::cli
