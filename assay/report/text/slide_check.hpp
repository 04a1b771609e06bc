// SPDX-License-Identifier: Apache-2.0
/// Which slides exist, as text for people.
#pragma once

#include <string>

#include "assay/qa/slides/slide_check.hpp"

namespace assay::report {

/// One line per benchmark, and their sum if there are several.
std::string slide_check_table(const qa::SlideCheck& check);

/// The slides that cannot be used and why, at most `most` of each kind and benchmark; empty when
/// all can.
std::string slide_check_problems(const qa::SlideCheck& check, std::size_t most);

/// Sizes and resolutions of the slides that were opened.
std::string opened_slides_table(const qa::SlideCheck& check);

}  // namespace assay::report
