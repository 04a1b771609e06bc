// SPDX-License-Identifier: Apache-2.0
/// TOML as JSON, so that the reader does not depend on the format of the file.
#pragma once

#include <string_view>

#include "assay/base/json.hpp"

namespace assay {

/// `name` is used in messages. Dates and text over several lines are refused: nothing here uses
/// them. The only entry to the parser (tools/doors.py): what is nested more than deepest_nesting
/// deep is refused before it is parsed. Throws Error::input with line and column.
Json parse_toml(std::string_view text, std::string_view name);

}  // namespace assay
