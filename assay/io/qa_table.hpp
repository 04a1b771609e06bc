// SPDX-License-Identifier: Apache-2.0
/// The table of questions: MultiPathQA.csv, or CSV, JSON or JSON Lines with the same columns.
/// docs/formats/qa.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/qa/item.hpp"

namespace assay {

/// Throws Error::input naming file and row: a column that is missing, options or an answer that
/// cannot be read, the same (benchmark, id) twice, no valid row at all.
ItemTable read_items(const std::filesystem::path& path);

/// The same for text that is in memory already; `name` stands in messages.
ItemTable parse_items(std::string_view text, const std::string& name);

}  // namespace assay
