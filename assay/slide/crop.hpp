// SPDX-License-Identifier: Apache-2.0
/// Which crops of a slide an agent may take, and from which level of the pyramid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "assay/slide/slide_info.hpp"

namespace assay::slide {

/// Why a crop cannot be taken, as a sentence for the model that says what is allowed; nothing when
/// it can. Strict: nothing is clamped.
std::optional<std::string> crop_problem(const SlideRegion& region, const SlideInfo& slide);

/// The level to read a region from, if its longer side shall have `longest` pixels: the one whose
/// picture comes closest to longest / oversampling, then finer until it has at least `longest`.
std::size_t level_for(const SlideRegion& region, const SlideInfo& slide, std::int64_t longest,
                      double oversampling = 0.85);

}  // namespace assay::slide
