// SPDX-License-Identifier: Apache-2.0
/// The baselines without navigation: random patches of tissue, and a collage of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/image/picture.hpp"
#include "assay/qa/values/mode.hpp"
#include "assay/slide/slide_info.hpp"

namespace assay::qa {

/// Positions of patches on tissue, which is separated from the background in a thumbnail of the
/// whole slide. The same arguments give the same places. A slide without tissue: anywhere.
std::vector<slide::SlideRegion> patch_regions(const Picture& thumbnail,
                                              const slide::SlideInfo& slide,
                                              const PatchSettings& settings = {});

/// Pictures side by side, row by row, on white: as square as can be.
Picture collage(std::span<const Picture> pictures);

}  // namespace assay::qa
