// SPDX-License-Identifier: Apache-2.0
/// TIFF files, BigTIFF included, as masks, label maps and maps of probabilities, through libtiff.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "assay/image/layout.hpp"
#include "assay/image/tiled.hpp"

namespace assay {

/// Whether the bytes start as a TIFF file does.
bool is_tiff(std::span<const std::byte> head);

/// Reads strips or tiles; pages are slices. Accepts whole numbers of 1 to 64 bits, floating-point
/// numbers, and the indices of pictures with a palette. Smaller copies of the picture are skipped.
/// Throws Error (input, unsupported).
Layout tiff_layout(std::span<const std::byte> head, const std::filesystem::path& path);

/// Opens a level of a file on disk. Strips and tiles that are not stored are 0. Throws Error.
std::unique_ptr<TiledImage> open_tiff(const std::filesystem::path& path, std::size_t level);

}  // namespace assay
