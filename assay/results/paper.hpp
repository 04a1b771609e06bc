// SPDX-License-Identifier: Apache-2.0
/// Published results of any paper: docs/formats/paper.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/parity/paper.hpp"

namespace assay::results {

/// Throws Error::input naming file, model and field at fault.
parity::Paper read_paper(const std::filesystem::path& path);

/// The same for text that is in memory already; `name` is used in messages.
parity::Paper parse_paper(std::string_view text, const std::string& name);

}  // namespace assay::results
