// SPDX-License-Identifier: Apache-2.0
/// Series of images: finding their files, their grid, their voxels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/image.hpp"
#include "assay/image/dicom/dicom_file.hpp"

namespace assay {

/// The files of a series, in or below the first of the folders that has any. Throws Error::input
/// when none has.
std::vector<std::filesystem::path> find_series(const std::vector<std::filesystem::path>& folders,
                                               const std::string& series_uid);

/// The grid of all slices. Throws Error with the path of a file in front.
Grid series_grid(const std::vector<std::filesystem::path>& files);

/// One file of images as an image, of one frame or many.
Image image_in(const DicomFile& file);

}  // namespace assay
