// SPDX-License-Identifier: Apache-2.0
/// One file of a study, whatever kind it is.
#pragma once

#include <string>
#include <vector>

#include "assay/report/page/page.hpp"

namespace assay::report {

/// What one file contributes to a study; most members are empty.
struct StudyFile {
  SourceDocument document;
  ResultSettings settings{};
  std::vector<compare::ResultTable> models{};
  std::vector<parity::ParityReport> parity{};
  std::vector<FoldsStudyPart> folds{};
  std::vector<QaStudyPart> qa{};
  std::vector<Finding> findings{};
};

/// The kind is recognised by the content of the file, never by its name. Throws Error naming file
/// and fault.
StudyFile read_study_file(const std::string& path);

}  // namespace assay::report
