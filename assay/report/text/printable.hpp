// SPDX-License-Identifier: Apache-2.0
/// Text from elsewhere, without what a terminal would act on.
#pragma once

#include <string>
#include <string_view>

namespace assay::report {

/// Text from file names, headers and servers, made safe for a terminal and kept to one line. ASCII
/// control characters and bytes that are not UTF-8 become \xNN. Other control characters and marks
/// that reverse the reading order become \uNNNN.
std::string printable(std::string_view text);

}  // namespace assay::report
