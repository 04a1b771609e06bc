// SPDX-License-Identifier: Apache-2.0
/// Warnings about cases, on standard error.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Prints each sentence on a line of its own, after its kind: "note: …".
void tell(std::string_view kind, const std::vector<std::string>& sentences, std::ostream& err);

struct CaseWarning {
  std::string id, text;
};

/// A warning that several cases share is printed once: "warning: a and 11 more: the image has no
/// grid".
void tell_warnings(const std::vector<CaseWarning>& warnings, std::ostream& err);

}  // namespace assay::cli
