// SPDX-License-Identifier: Apache-2.0
/// Manual pages, from the declarations that the parser uses.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct ManualPage {
  std::string name;  ///< "assay-qa-run": its file is assay-qa-run.1
  std::string text;  ///< in the man macros of troff
};

/// One page for the program, which comes first, and one for each command.
std::vector<ManualPage> manual_pages();

}  // namespace assay::cli
