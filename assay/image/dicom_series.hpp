// SPDX-License-Identifier: Apache-2.0
/// Series of DICOM images in folders, one file per slice: listing them, and reading one as an
/// image. The path of a series is its folder, or FOLDER/NAME where the folder holds several.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/image.hpp"

namespace assay {

/// The files of one series.
struct DicomSeries {
  std::string uid{};  ///< SeriesInstanceUID; "" where a file does not state it
  std::vector<std::filesystem::path> files{};
};

/// The files that are DICOM images, by their series; both in ascending order.
std::vector<DicomSeries> series_among(const std::vector<std::filesystem::path>& files);

/// Whether a path is a folder with DICOM images, or FOLDER/NAME where NAME is not a file and names
/// a series of such a folder.
bool is_series(const std::filesystem::path& path);

/// The series of a path: the only one of the folder, or the one whose SeriesInstanceUID,
/// SeriesNumber or SeriesDescription is NAME. Throws Error::input that lists the series where it is
/// not clear which one is meant.
DicomSeries find_series_at(const std::filesystem::path& path);

/// Its slices as one image, sorted by position. Throws Error that names the series.
Image read_series(const std::filesystem::path& path, Buffer scratch);

/// A hash over the sorted hashes of its files, so that file names do not matter.
std::string series_sha256(const std::filesystem::path& path);

/// The header that the image would have.
ImageHeader read_series_header(const std::filesystem::path& path);

}  // namespace assay
