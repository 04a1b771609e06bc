// SPDX-License-Identifier: Apache-2.0
/// Results name no place on this machine: paths are shown relative to the roots that were given.
#pragma once

#include <filesystem>
#include <string>

namespace assay::score {

/// The text with `file` as results show it, `shown`, wherever it stands with its whole path.
std::string without_root(std::string text, const std::filesystem::path& file,
                         const std::string& shown);

}  // namespace assay::score
