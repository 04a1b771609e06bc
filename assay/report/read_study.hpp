// SPDX-License-Identifier: Apache-2.0
/// Any mixture of results files as one study.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/report/page/page.hpp"

namespace assay::report {

struct StudyRequest {
  std::vector<std::string> files;      ///< results files, and folders of question-answering runs
  std::string title{};                 ///< "": made from the names of the models
  compare::CompareSettings compare{};  ///< the executor is set from `jobs`
  std::filesystem::path groups{};
  unsigned jobs = 1;
};

/// A study without drawings and volumes.
struct StudyReading {
  Study study{};
  std::vector<Finding> findings{};
  std::vector<SourceDocument> documents{};
  std::vector<std::string> notes{};  ///< what was decided without being asked, for people
};

/// Models that share cases are compared on these, and the notes say what was left out; models that
/// share none are shown side by side. Throws Error naming file and fault; the first file that
/// cannot be read decides, whatever the number of threads.
StudyReading read_study(const StudyRequest& request);

}  // namespace assay::report
