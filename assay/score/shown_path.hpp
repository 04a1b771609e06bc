// SPDX-License-Identifier: Apache-2.0
/// Results contain no paths of this machine: paths are shown relative to the given roots.
#pragma once

#include <filesystem>
#include <string>

namespace assay::score {

/// The text with `file` as results show it, `shown`, wherever it occurs with its whole path.
std::string without_root(std::string text, const std::filesystem::path& file,
                         const std::string& shown);

}  // namespace assay::score
