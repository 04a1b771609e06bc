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

/// The same for the images that models are run on and reports show: a folder with the slices of a
/// DICOM series is one image, and its path is that of the folder ("." for `root` itself). DICOM
/// files need no ending; segmentations, contours and others without pixels are left out.
std::vector<std::string> list_scans(const std::filesystem::path& root);
std::vector<std::string> require_scans(const std::filesystem::path& root);

/// The same paths without pictures among volumes: these show something to people, like nnU-Net's
/// progress.png. A pattern can select them.
std::vector<std::string> without_illustrations(std::vector<std::string> paths);

/// Whether a path is a folder of images, not an image that is a folder.
bool is_cohort_folder(const std::filesystem::path& path);

}  // namespace assay
