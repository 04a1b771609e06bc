// SPDX-License-Identifier: Apache-2.0
/// Which slides are there, as a file: `assay.qa-check/1`.
#pragma once

#include <string>
#include <string_view>

#include "assay/qa.hpp"
#include "assay/qa/slides/slide_check.hpp"

namespace assay::qa {

std::string slide_check_text(const SlideCheck& check, const ItemTable& table,
                             std::string_view version);

}  // namespace assay::qa
