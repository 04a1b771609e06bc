// SPDX-License-Identifier: Apache-2.0
/// The outline of a DICOM file: where its elements begin and end, found before a toolkit sees it.
/// Files that nest without end or promise more than they hold are refused here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace assay {

inline constexpr std::uint32_t pixel_data_tag = 0x7FE0'0010;

struct DicomOutline {
  std::string transfer_syntax;   ///< UID
  std::size_t header_end = 0;    ///< where the first element from the wanted tag on begins
  std::size_t pixels_begin = 0;  ///< of PixelData that is stored plainly, lowest byte first
  std::size_t pixels_size = 0;   ///< 0 when there are no such pixels
  bool is_complete = true;       ///< false: the bytes end before `stop`, so more must be read
};

/// Looks at the elements before `stop`, at any depth, and at PixelData. `file_size` is that of the
/// whole file, of which `bytes` may be only the start. For a deflated file it sees only the file
/// meta group, which ends at `header_end`, and is not complete. Throws Error::input if the file is
/// damaged or nests more than 24 levels deep, Error::unsupported on more than 4 million elements.
DicomOutline dicom_outline(std::span<const std::byte> bytes, std::size_t file_size,
                           std::uint32_t stop = pixel_data_tag);

}  // namespace assay
