// SPDX-License-Identifier: Apache-2.0
/// What an image is, before its voxels take up memory: from its header alone, or as a few runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "assay/image.hpp"

namespace assay {

/// Throws Error with the path in front, as `read_image` does: also where the file cannot hold what
/// its header states.
ImageHeader read_image_header(const std::filesystem::path& path, const PictureRules& pictures = {});

/// The runs that this reader would read from the file. Nothing when it reads bytes, when there are
/// more than `most` runs, or when something is wrong with the file. Takes no memory for voxels.
std::optional<VoxelRuns> read_runs(const std::filesystem::path& path, VoxelReader reader,
                                   std::size_t most);

}  // namespace assay
