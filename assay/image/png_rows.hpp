// SPDX-License-Identifier: Apache-2.0
/// The usual PNG mask, one byte per pixel without interlacing, unpacked at once. This takes a third
/// of the time of libpng, which reads all other kinds.
#pragma once

#include <cstddef>
#include <span>

namespace assay {

/// Fills `into` with the rows of such a file, `width` bytes each. Returns false for another kind of
/// PNG, or if anything is wrong with the file; libpng then decides, and the content of `into` is
/// undefined.
bool unpack_png_rows(std::span<const std::byte> file, std::size_t width, std::span<std::byte> into);

}  // namespace assay
