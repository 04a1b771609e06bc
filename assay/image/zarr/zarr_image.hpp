// SPDX-License-Identifier: Apache-2.0
/// OME-Zarr images and plain Zarr arrays, version 2: folders in which every chunk is a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "assay/image/tiled.hpp"

namespace assay {

/// Whether the path is a folder that holds a Zarr array or group, or is named as one.
bool is_zarr(const std::filesystem::path& path);

/// Opens a level of an image, or an array. Axes other than x, y and z must have one element. Chunks
/// without a file have the fill value. Throws Error (io, input, unsupported).
std::unique_ptr<TiledImage> open_zarr(const std::filesystem::path& folder, std::size_t level);

/// The hash that identifies the content of the folder, over the names and hashes of its files.
/// Throws Error::io.
std::string zarr_sha256(const std::filesystem::path& folder);

}  // namespace assay
