// SPDX-License-Identifier: Apache-2.0
/// Lists of words in messages.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// "a, b, c".
template <class Words>
std::string joined(const Words& words, std::string_view separator = ", ") {
  std::string text;
  bool first = true;
  for (const auto& word : words) {
    if (!first) text.append(separator);
    text.append(word);
    first = false;
  }
  return text;
}

/// "1 case", "2 cases".
inline std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count).append(" ").append(thing).append(count == 1 ? "" : "s");
}

}  // namespace assay
