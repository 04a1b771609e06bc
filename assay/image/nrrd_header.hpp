// SPDX-License-Identifier: Apache-2.0
/// The fields of a NRRD header, as written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/image.hpp"

namespace assay {

/// Complete and consistent: as many entries per axis as there are axes, or none at all.
struct NrrdHeader {
  std::vector<std::int64_t> sizes;
  std::optional<VoxelType> type;
  std::optional<bool> big_endian;
  bool is_gzip = false;
  std::vector<double> spacings;                  ///< NaN for an axis that has none
  std::vector<std::optional<Point>> directions;  ///< nothing for an axis that is not space
  Point origin{};
  std::vector<std::string> kinds;  ///< in lower case
  std::string space;               ///< in lower case; "" when none is named
  double unit_mm = 1;
  std::int64_t byte_skip = 0;  ///< -1: the voxels are the file's last bytes
  std::string data_file;       ///< "": the voxels follow the header
  std::size_t end = 0;         ///< where they then start

  std::size_t axes = 0;  ///< as the header counts them
};

/// Throws Error (input, unsupported) naming the line at fault.
NrrdHeader parse_nrrd_header(std::string_view text);

}  // namespace assay
