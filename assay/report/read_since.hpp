// SPDX-License-Identifier: Apache-2.0
/// What changed between two versions of a model.
#pragma once

#include <string>

#include "assay/report.hpp"
#include "assay/report/page/page.hpp"

namespace assay::report {

struct SinceReading {
  Since since;
  SourceDocument document;  ///< the older file
};

/// Compares the older file with the same model on `page`. Throws Error::usage if the numbers cannot
/// be compared: other labels, other conventions, no case in common.
SinceReading read_since(const ReportRequest& request, const Study& page);

}  // namespace assay::report
