// SPDX-License-Identifier: Apache-2.0
/// DICOM objects: what a file is, the structures of segmentations and contours, and series as
/// images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/contours.hpp"
#include "assay/image.hpp"
#include "assay/image/structures.hpp"

namespace assay {

inline constexpr std::string_view segmentation_class = "1.2.840.10008.5.1.4.1.1.66.4";
inline constexpr std::string_view label_map_class = "1.2.840.10008.5.1.4.1.1.66.7";
inline constexpr std::string_view contours_class = "1.2.840.10008.5.1.4.1.1.481.3";

// ---- Without DCMTK.

/// The SOP class of a file that is DICOM by name and content; nothing for any other.
std::optional<std::string> class_of_file(const std::filesystem::path& path);

/// Whether objects of a class have named structures: segmentations and contours (RTSTRUCT).
bool is_structure_class(std::string_view class_uid);

/// Whether objects of a class are images. Objects without pixels, such as plans and reports, are
/// not, nor are objects derived from images, such as segmentations and doses.
bool is_image_class(std::string_view class_uid);

/// Whether a path is a DICOM file with named structures: a segmentation or contours.
bool holds_structures(const std::filesystem::path& path);

/// Structures as a label map of their numbers. Throws Error::input where they overlap.
Image label_map_of(const StructureSet& set, Buffer scratch);

// ---- Through DCMTK. All throw Error::unsupported where assay was built without it.

/// "DCMTK 3.6.7". Throws Error::unsupported that says what is missing.
std::string dicom_support();

/// Who and what a file is about.
struct DicomSummary {
  std::string class_uid{};
  std::string study_uid{}, series_uid{}, referenced_series_uid{};
  std::string patient_id{}, patient_name{};
  std::string modality{}, series_number{}, series_description{};
  std::vector<StructureName> structures{};  ///< of segmentations and contours
};

/// Reads the first elements of the file. Throws Error with the path in front.
DicomSummary read_dicom_summary(const std::filesystem::path& path);

/// The structures of a file with their colours, for which the whole file is read. Throws Error with
/// the path in front.
std::vector<StructureName> read_structure_names(const std::filesystem::path& path);

/// What decides how structures become voxels.
struct StructureReading {
  std::optional<double> threshold{};  ///< of fractional segmentations: value >= threshold
  /// Grid on which contours are rasterised; unset: that of the series they were drawn on.
  std::optional<Grid> target{};
  RasterRule rule = RasterRule::centre;
  ContourGaps gaps = ContourGaps::error;
  std::vector<std::filesystem::path> image_folders{};  ///< where series of images may be
};

/// The structures of a file on the grid of its frames. Throws Error with the path in front.
StructureSet read_structures(const std::filesystem::path& path, const StructureReading& how = {});

/// The same for a file in memory; the error has no path.
StructureSet parse_structures(Buffer file, const StructureReading& how = {});

/// A file as an image: a label map of its structures by their numbers, or a map of probabilities.
/// Throws Error, Error::input also where structures overlap. `path` says where a series may be.
Image decode_dicom(Buffer bytes, const std::filesystem::path& path);

/// The slices in the files of one series as one image, sorted by position. Throws Error, with the
/// path of a file in front if one is at fault.
Image read_slices(const std::vector<std::filesystem::path>& files, Buffer scratch);
ImageHeader read_slices_header(const std::vector<std::filesystem::path>& files);

}  // namespace assay
