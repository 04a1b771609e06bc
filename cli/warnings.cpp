// SPDX-License-Identifier: Apache-2.0
#include "cli/warnings.hpp"

#include <map>
#include <ostream>
#include <string_view>
#include <utility>

#include "assay/report/text/printable.hpp"

namespace assay::cli {

void tell(std::string_view kind, const std::vector<std::string>& sentences, std::ostream& err) {
  for (const std::string& sentence : sentences)
    err << kind << ": " << report::printable(sentence) << '\n';
}

void tell_warnings(const std::vector<CaseWarning>& warnings, std::ostream& err) {
  std::map<std::string_view, std::size_t> cases;  // by text
  for (const CaseWarning& warning : warnings) ++cases[warning.text];
  for (const auto& [id, text] : warnings) {
    const std::size_t count = std::exchange(cases[text], 0);
    if (count == 0) continue;  // already printed with the first case
    err << "warning: " << report::printable(id);
    if (count > 1) err << " and " << count - 1 << " more";
    err << ": " << report::printable(text) << '\n';
  }
}

}  // namespace assay::cli
