// SPDX-License-Identifier: Apache-2.0
/// Readers of results that others write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/qa.hpp"

namespace assay::qa {

/// The JSON Lines of the GIANT authors: one line per conversation, in any order. Truths, options
/// and what was not asked come from the table.
std::vector<SavedQa> read_authors(std::string_view text, const std::string& name,
                                  const ItemTable* table);

}  // namespace assay::qa
