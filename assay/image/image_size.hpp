// SPDX-License-Identifier: Apache-2.0
/// What an image is, from its header alone, before any voxel is read.
#pragma once

#include <filesystem>

#include "assay/image.hpp"

namespace assay {

/// Throws Error with the path in front, as `read_image` does: also where the file cannot hold what
/// its header states.
ImageHeader read_image_header(const std::filesystem::path& path, const PictureRules& pictures = {});

}  // namespace assay
