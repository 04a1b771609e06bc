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

/// The id of the n-th case, from 1, of a file without ids.
inline std::string position_id(std::size_t number) {
  return "#" + std::to_string(number);
}

/// Renames models of the same name after their files and says so in `notes`. Throws Error::usage on
/// fewer than two models, or one that is given twice.
std::vector<ResultTable> named_apart(std::vector<ResultTable> tables,
                                     std::vector<std::string>& notes);

/// The model of that name, or of that file. "" is the first of two, otherwise Error::usage.
std::size_t baseline_among(std::span<const ResultTable> tables, std::string_view baseline);

// Whether the averages of several results are averages of the same thing.

/// What the average of a case is taken over, and in which file.
struct AveragedFile {
  std::string file;
  std::vector<metrics::Region> averaged;  ///< empty: the file does not say
};

/// Throws Error::usage when averages are over different labels or regions: they would be different
/// quantities under one name. A single label and the whole foreground may be the same thing under
/// two names; that goes to `notes`.
void require_same_averages(std::span<const AveragedFile> files, std::vector<std::string>& notes);
void require_same_averages(std::span<const ResultTable> tables, std::vector<std::string>& notes);

}  // namespace assay::compare
