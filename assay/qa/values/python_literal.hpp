// SPDX-License-Identifier: Apache-2.0
/// Lists as Python writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::qa {

/// ast.literal_eval for lists and tuples of texts and numbers; numbers are kept as written. Nothing
/// for any other text.
std::optional<std::vector<std::string>> python_list(std::string_view text);

}  // namespace assay::qa
