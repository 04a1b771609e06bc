// SPDX-License-Identifier: Apache-2.0
/// What was odd about cases, on standard error.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Each sentence on a line of its own, after what it is: "note: …".
void tell(std::string_view kind, const std::vector<std::string>& sentences, std::ostream& err);

struct CaseWarning {
  std::string id, text;
};

/// What several cases share is said once: "warning: a and 11 more: the image has no grid".
void tell_warnings(const std::vector<CaseWarning>& warnings, std::ostream& err);

}  // namespace assay::cli
