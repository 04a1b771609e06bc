// SPDX-License-Identifier: Apache-2.0
/// How a label is called in headings and sentences.
#pragma once

#include <algorithm>
#include <string>

#include "assay/base/ascii.hpp"

namespace assay::compare {

/// "label 1" for a label that is shown by its number; names and regions as they are.
inline std::string label_words(const std::string& label) {
  const bool is_number = !label.empty() && std::ranges::all_of(label, is_ascii_digit);
  return is_number ? "label " + label : label;
}

}  // namespace assay::compare
