// SPDX-License-Identifier: Apache-2.0
/// A report, from results files to the text of its page.
#pragma once

#include <string>
#include <vector>

#include "assay/report/case_volumes.hpp"
#include "assay/report/page/page.hpp"
#include "assay/report/read_study.hpp"

namespace assay::report {

struct ReportResult {
  PageContent content;
  PageText page;
  std::size_t asked_and_absent = 0;  ///< cases that were asked for and could not be shown
};

/// Writes no file.
ReportResult make_report(const ReportRequest& request);

}  // namespace assay::report
