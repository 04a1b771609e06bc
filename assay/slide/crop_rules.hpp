// SPDX-License-Identifier: Apache-2.0
/// Which crops of a slide an agent may take, and from which level of the pyramid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "assay/slide/slide_info.hpp"

namespace assay::slide {

/// Why a crop cannot be taken, as a sentence that tells the model what is allowed; nothing when it
/// can be taken. The check is strict: nothing is clamped.
std::optional<std::string> crop_problem(const SlideRegion& region, const SlideInfo& slide);

/// The level to read a region from so that its longer side gets `longest` pixels. It starts with
/// the level whose picture comes closest to longest / oversampling, and goes to finer ones until
/// the picture has at least `longest`.
std::size_t level_for(const SlideRegion& region, const SlideInfo& slide, std::int64_t longest,
                      double oversampling = 0.85);

}  // namespace assay::slide
