// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"

namespace assay::report {
namespace {

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return align == Align::left ? std::string(text) + blanks : blanks + std::string(text);
}

std::string line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t c = 0; c < columns.size(); ++c)
    out += (c == 0 ? "" : "  ") + padded(cells[c], widths[c], columns[c].align);
  return std::string(trimmed_end(out, " ")) + '\n';
}

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

std::size_t display_width(std::string_view text) {
  return character_count(text);
}

std::string bold(std::string_view text, bool color) {
  return (std::string(color ? bold_on : "").append(text)).append(color ? bold_off : "");
}

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

std::string text_table(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    titles.push_back(columns[c].title);
    widths.push_back(display_width(columns[c].title));
    for (const auto& row : rows) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string out = line(columns, widths, titles);
  for (const auto& row : rows) out += line(columns, widths, row);
  return out;
}

}  // namespace assay::report
