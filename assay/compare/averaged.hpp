// SPDX-License-Identifier: Apache-2.0
/// Whether the averages of several results are averages of the same thing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/compare.hpp"

namespace assay::compare {

/// What the average of a case is over, and in which file.
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
