// SPDX-License-Identifier: Apache-2.0
/// A table as papers print it, in every form that people paste.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

/// Neighbouring columns under a title of their own; "": none.
struct ColumnGroup {
  std::string title;
  std::vector<std::string> columns;
};

/// Cells are plain text; each output format escapes what it must.
struct PaperTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the header
  std::optional<std::size_t> rule_before{};    ///< a line above this row, such as published values
  std::vector<std::string> footnotes{};
  /// The header in two lines, for forms that have them: all columns, in order. Empty: one line.
  std::vector<ColumnGroup> groups{};
};

std::string terminal_table(const PaperTable& table);
std::string markdown_table(const PaperTable& table);
/// A tabular no wider than the line, with its notes wrapped below; a comment names the packages.
std::string latex_table(const PaperTable& table);

/// Text escaped for table cells.
std::string markdown_escaped(std::string_view text);
std::string latex_escaped(std::string_view text);

}  // namespace assay::report
