// SPDX-License-Identifier: Apache-2.0
/// Text for a page.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace assay::report {

/// Text escaped so that it is never markup, also in quoted attributes. Characters that are not
/// allowed in a page become U+FFFD.
inline std::string html_escaped(std::string_view text) {
  struct Row {
    char character;
    std::string_view entity;
  };
  constexpr Row rows[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto* row = std::ranges::find(rows, c, &Row::character);
    const auto code = static_cast<unsigned char>(c);
    const bool is_white = c == '\n' || c == '\t' || c == '\r';
    if (row != std::end(rows))
      out += row->entity;
    else if ((code < 0x20 && !is_white) || code == 0x7F)
      out += "\xEF\xBF\xBD";
    else
      out += c;
  }
  return out;
}

/// A sentence with true minus signs, and with units that stay on the line of their numbers.
std::string typeset(std::string_view text);

}  // namespace assay::report
