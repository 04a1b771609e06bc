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
  std::vector<std::string> notes{};  ///< what was decided without being asked, for people
};

/// Models that share cases are compared on these, and the notes say what was left out; models that
/// share none are shown side by side. Throws Error naming file and fault; the first file that
/// cannot be read decides, whatever the number of threads.
StudyReading read_study(const StudyRequest& request);

}  // namespace assay::report
