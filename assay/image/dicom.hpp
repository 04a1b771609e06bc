// SPDX-License-Identifier: Apache-2.0
/// The small part of DICOM that is needed to distinguish slides.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace assay {

/// SeriesInstanceUID (0020,000E) of a file in Part 10 format, little-endian; nothing for anything
/// else, damaged files included. All files of one slide share it.
std::optional<std::string> dicom_series(std::span<const std::byte> file);

}  // namespace assay
