// SPDX-License-Identifier: Apache-2.0
/// Which models are compared: distinct names, and the baseline among them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/compare.hpp"

namespace assay::compare {

/// Gives models of the same name the names of their files and says so in `notes`. Throws
/// Error::usage on fewer than two models, or one that is given twice.
std::vector<ResultTable> named_apart(std::vector<ResultTable> tables,
                                     std::vector<std::string>& notes);

/// The model of that name, or of that file. "" is the first of two, otherwise Error::usage.
std::size_t baseline_among(std::span<const ResultTable> tables, std::string_view baseline);

}  // namespace assay::compare
