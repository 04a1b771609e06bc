// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/base/unicode.hpp"

namespace assay::report {
namespace {

/// Whether a terminal acts on a character beyond ASCII instead of showing it: the C1 controls, line
/// ends, and marks that reorder what is around them.
bool misleads(char32_t c) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {{0x80, 0x9f},     {0x61c, 0x61c},
                                                      {0x200e, 0x200f}, {0x2028, 0x202e},
                                                      {0x2066, 0x2069}, {0xfeff, 0xfeff}};
  return std::ranges::any_of(
      ranges, [&](const auto& range) { return range.first <= c && c <= range.second; });
}

}  // namespace

std::string printable(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  const Characters all = characters(text);
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view bytes = text.substr(all.bytes[i], all.bytes[i + 1] - all.bytes[i]);
    const bool is_byte = bytes.size() == 1;
    if (is_byte ? is_plain(bytes[0]) : !misleads(all.points[i]))
      out += bytes;
    else if (is_byte)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    else
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(all.points[i]));
  }
  return out;
}

}  // namespace assay::report
