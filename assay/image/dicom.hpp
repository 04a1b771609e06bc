// SPDX-License-Identifier: Apache-2.0
/// The small part of DICOM that is needed to distinguish files and slides, with or without DCMTK.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace assay {

/// Whether a file that starts with these bytes is in DICOM's file format (PS3.10).
bool is_dicom(std::span<const std::byte> head);

/// MediaStorageSOPClassUID (0002,0002) of a file that starts with these bytes: what kind of object
/// it is. Nothing for anything else.
std::optional<std::string> dicom_class(std::span<const std::byte> head);

/// SeriesInstanceUID (0020,000E) of a file in Part 10 format, little-endian; nothing for anything
/// else, damaged files included. All files of one slide share it.
std::optional<std::string> dicom_series(std::span<const std::byte> file);

}  // namespace assay
