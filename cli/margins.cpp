// SPDX-License-Identifier: Apache-2.0
#include "cli/margins.hpp"

namespace assay::cli {

compare::MetricNumbers Kind<compare::MetricNumbers>::value(const std::string& text) {
  compare::MetricNumbers numbers;
  for (const std::string& part : words_in(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      numbers.all = Kind<double>::value(part);
    else
      numbers.each.emplace_back(part.substr(0, equals),
                                Kind<double>::value(part.substr(equals + 1)));
  }
  return numbers;
}

void set_margins(const compare::MetricNumbers& margins, compare::CompareSettings& settings) {
  settings.margin = margins.all;
  settings.margins = margins.each;
}

}  // namespace assay::cli
