// SPDX-License-Identifier: Apache-2.0
/// Pictures as masks: their pixels, the labels that their colours mean, the size of a pixel.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "assay/image/layout.hpp"

namespace assay {

/// The header with the size of a pixel, where the image itself does not state it and the rules do.
/// Throws Error::input when the rules ask for a size that the file does not state.
ImageHeader sized_header(const Layout& layout, const PictureRules& rules);

/// Throws Error::input unless a file of that size can hold the pixels.
void require_possible_pixels(const Layout& layout, std::size_t file_size);

/// An image whose pixels are written by `fill`; colours become labels. Throws Error::input.
Image picture_from(const Layout& layout, const PictureRules& rules, Buffer scratch,
                   const std::function<void(std::span<std::byte> pixels)>& fill);

/// The pixels of a file whose layout has a decoder; colours become labels. Throws Error::input.
Image decode_picture(const Layout& layout, std::span<const std::byte> file,
                     const PictureRules& rules, Buffer scratch);

}  // namespace assay
