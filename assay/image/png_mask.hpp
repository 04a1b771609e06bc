// SPDX-License-Identifier: Apache-2.0
/// PNG files as masks and label maps, through libpng.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "assay/image/layout.hpp"

namespace assay {

/// Whether the bytes start as a PNG file does.
bool is_png(std::span<const std::byte> head);

/// Grey pictures of 1 to 16 bits, and the indices of those with a palette; other pictures are
/// coloured. Throws Error (input, unsupported), also where the file cannot hold its pixels.
Layout png_layout(std::span<const std::byte> head, const std::filesystem::path& path);

}  // namespace assay
