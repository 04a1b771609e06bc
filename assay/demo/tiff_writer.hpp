// SPDX-License-Identifier: Apache-2.0
/// TIFF files of JPEG tiles, as slide scanners write them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::demo {

/// One directory of the file.
struct TiffImage {
  std::int64_t width = 0, height = 0;
  std::int64_t tile = 0;             ///< side of a tile; 0: the image is one strip
  std::vector<std::string> parts{};  ///< whole JPEG streams, 4:2:0, row by row
  bool reduced = false;              ///< a smaller version of the first
  std::string description{};
  double pixels_per_cm = 0;  ///< 0: not stated
};

/// The bytes of the file, which must stay below 4 GiB.
std::string tiff_bytes(std::span<const TiffImage> images);

}  // namespace assay::demo
