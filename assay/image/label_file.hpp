// SPDX-License-Identifier: Apache-2.0
/// Labels that another program wrote for an image of ours.
#pragma once

#include <cstdint>
#include <filesystem>

#include "assay/volume.hpp"

namespace assay {

/// The labels in a file, on that grid: axes with another direction are turned without loss. Throws
/// Error when the file cannot be read, is on another grid, or holds anything but whole numbers
/// below `classes`.
Volume<std::uint8_t> read_labels_on(const Grid& grid, const std::filesystem::path& path,
                                    std::size_t classes);

}  // namespace assay
