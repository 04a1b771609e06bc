// SPDX-License-Identifier: Apache-2.0
/// Makes pictures smaller by Lanczos with three lobes. The window widens with the reduction.
#pragma once

#include "assay/image/picture.hpp"

namespace assay::slide {

/// The part of a picture that is shown, in pixels; its edges may fall inside a pixel.
struct PictureBox {
  double x = 0, y = 0, width = 0, height = 0;
};

/// `box` of the picture, resampled to width x height pixels. The box must lie inside the picture.
Picture resized(const Picture& picture, const PictureBox& box, std::size_t width,
                std::size_t height);

}  // namespace assay::slide
