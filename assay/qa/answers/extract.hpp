// SPDX-License-Identifier: Apache-2.0
/// The label that an answer means, and why.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "assay/base/named.hpp"
#include "assay/qa/values/result.hpp"

namespace assay::qa {

/// Whose rules read an answer.
///   assay   what was asked for first (JSON, <response>), then plain statements; two different
///           candidates of equal rank are a contradiction, not a guess
///   spec    the specification's code, exactly
///   giant   the final code of the original project, exactly
enum class ExtractionRules { assay, spec, giant };

std::span<const Named<ExtractionRules>> extraction_rules();

/// `raw` of the result is the prediction without white space around it. Labels count from 1 where
/// there are options; PANDA's are ISUP grades. A number too large for 64 bits becomes the largest.
ExtractedAnswer extract_label(std::string_view prediction, std::string_view benchmark,
                              std::span<const std::string> options,
                              ExtractionRules rules = ExtractionRules::assay);

ExtractedAnswer extract_assay(std::string_view text, std::string_view benchmark,
                              std::span<const std::string> options);
ExtractedAnswer extract_spec(std::string_view text, std::string_view benchmark,
                             std::span<const std::string> options);
ExtractedAnswer extract_giant(std::string_view text, std::string_view benchmark,
                              std::span<const std::string> options);

}  // namespace assay::qa
