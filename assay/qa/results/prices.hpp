// SPDX-License-Identifier: Apache-2.0
/// The price table of a run, as JSON. docs/qa-agents.md describes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/qa/values/prices.hpp"

namespace assay::qa {

/// {"MODEL or PREFIX*": {"input": 1.25, "output": 10, "cache_read": …, "cache_write": …,
/// "image_tokens": …}}, US dollars per million tokens. Throws Error::input with file and row.
PriceTable read_prices(const std::filesystem::path& path);
PriceTable parse_prices(std::string_view text, const std::string& name);

}  // namespace assay::qa
