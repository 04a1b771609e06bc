// SPDX-License-Identifier: Apache-2.0
/// What images a folder holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

/// Every image below `root`, as paths relative to it with '/', sorted; hidden files and the voxel
/// half of a header pair are left out. Throws Error::io when the folder cannot be read.
std::vector<std::string> list_images(const std::filesystem::path& root);

}  // namespace assay
