// SPDX-License-Identifier: Apache-2.0
/// Tables of questions: CSV, a JSON export or JSON Lines. docs/formats/qa.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/qa/values/item.hpp"

namespace assay::qa {

/// Reads the valid rows of a table. Throws Error naming file and line: an absent column, options or
/// an answer that cannot be understood, an id that repeats within a benchmark.
ItemTable read_items(const std::filesystem::path& path);

/// The same for text that is in memory already; `name` is used in messages.
ItemTable parse_items(std::string_view text, const std::string& name);

}  // namespace assay::qa
