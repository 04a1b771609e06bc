// SPDX-License-Identifier: Apache-2.0
/// Lists and margins as people type them, for commands that share these options.
#pragma once

#include <string>
#include <vector>

#include "assay/compare/comparison.hpp"

namespace assay::cli {

/// "a,b,c"; throws Error::usage, naming the option, on an empty name.
std::vector<std::string> words_in(const std::string& list, const char* option);

/// "0.01" for every metric, or "dice=0.01,avd=0.05".
void add_margins(const std::string& text, CompareSettings& settings);

}  // namespace assay::cli
