// SPDX-License-Identifier: Apache-2.0
/// Any mixture of results files as one study.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/report.hpp"
#include "assay/report/page/page.hpp"

namespace assay::report {

/// A study without drawings and volumes.
struct StudyReading {
  Study study{};
  std::vector<Finding> findings{};
  std::vector<SourceDocument> documents{};
  std::vector<std::string> notes{};  ///< decisions that the user did not ask for, in sentences
};

/// Models that share cases are compared on these, and the notes say what was left out. Models that
/// share none are shown side by side. Throws Error naming the file and what is wrong with it. If
/// several files cannot be read, it is the first one, whatever the number of threads.
StudyReading read_study(const StudyRequest& request);

}  // namespace assay::report
