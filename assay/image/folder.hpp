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

/// The same of a folder that must hold one. Throws Error::input that says what is there instead.
std::vector<std::string> require_images(const std::filesystem::path& root);

/// The same paths without the pictures that lie among volumes: they show something to people, as
/// nnU-Net's progress.png does. A pattern can select them.
std::vector<std::string> without_illustrations(std::vector<std::string> paths);

}  // namespace assay
