// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/text_table.hpp"

#include <algorithm>

#include "assay/base/text.hpp"

namespace assay::report {
namespace {

/// As many columns of a terminal as there are characters: no wide ones are used here.
std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, character_count(text)), ' ');
  return align == Align::left ? std::string(text) + blanks : blanks + std::string(text);
}

std::string line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t c = 0; c < columns.size(); ++c)
    out += (c == 0 ? "" : "  ") + padded(cells[c], widths[c], columns[c].align);
  return std::string(trimmed_end(out, " ")) + '\n';
}

}  // namespace

std::string bold(std::string_view text, bool color) {
  return (std::string(color ? bold_on : "").append(text)).append(color ? bold_off : "");
}

std::string text_table(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    titles.push_back(columns[c].title);
    widths.push_back(character_count(columns[c].title));
    for (const auto& row : rows) widths[c] = std::max(widths[c], character_count(row[c]));
  }
  std::string out = line(columns, widths, titles);
  for (const auto& row : rows) out += line(columns, widths, row);
  return out;
}

}  // namespace assay::report
