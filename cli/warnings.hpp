// SPDX-License-Identifier: Apache-2.0
/// What was odd about cases, on standard error.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace assay::cli {

struct CaseWarning {
  std::string id, text;
};

/// What several cases share is said once: "warning: a and 11 more: the image has no grid".
void tell_warnings(const std::vector<CaseWarning>& warnings, std::ostream& err);

}  // namespace assay::cli
