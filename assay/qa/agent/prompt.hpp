// SPDX-License-Identifier: Apache-2.0
/// The question as the model sees it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay::qa {

/// "1. Lung\n2. Breast"
std::string numbered_options(std::span<const std::string> options);

/// The prompt of a table with its options: in the place of {options}, otherwise at the end with the
/// request for a number. Prompts of the published table are written for Python's str.format, so
/// that {{ and }} stand for single braces.
std::string injected_prompt(std::string_view prompt, std::span<const std::string> options);

}  // namespace assay::qa
