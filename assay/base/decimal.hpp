// SPDX-License-Identifier: Apache-2.0
/// Numbers from text, whatever the locale of the program that uses the library.
#pragma once

#include <charconv>
#include <string_view>

namespace assay {

/// std::from_chars, but numbers beyond the range of a double are read as Python reads them: as
/// infinity, or as zero where they are too small.
std::from_chars_result read_decimal(std::string_view text, double& value);

}  // namespace assay
