// SPDX-License-Identifier: Apache-2.0
/// The answers that a question offers, as tables write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::qa {

/// Reads a list of options: JSON, a Python list or tuple, or texts between bars ("Lung|Breast").
/// Empty text and an empty list mean no options. Positions are labels, so blank options are kept.
/// Throws Error::input on anything else, such as a dict, a number or a single word.
std::vector<std::string> parse_options(std::string_view text);

/// Whether an option is a number, so that an answer of that number can mean a position or a text.
bool is_numeric_option(std::string_view option);

}  // namespace assay::qa
