// SPDX-License-Identifier: Apache-2.0
/// The report as the command and the demonstration make it.
#pragma once

#include <string>
#include <vector>

#include "assay/report/case_images.hpp"
#include "assay/report/page/page.hpp"
#include "assay/report/read_study.hpp"

namespace assay::cli {

using report::ReportRequest;

struct ReportResult {
  report::PageContent content;
  report::PageText page;
  std::size_t asked_and_absent = 0;  ///< cases that were asked for and could not be shown
};

ReportResult made_report(const ReportRequest& request);

}  // namespace assay::cli
