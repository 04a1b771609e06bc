// SPDX-License-Identifier: Apache-2.0
/// What is drawn onto pictures, so that a model can name places: axis guides with coordinates.
#pragma once

#include "assay/image/picture.hpp"
#include "assay/slide/slide_info.hpp"

namespace assay::qa {

/// The picture of `shown` (level-0 pixels) with lines that are labelled in level-0 pixels.
Picture with_guides(Picture picture, const slide::SlideRegion& shown);

}  // namespace assay::qa
