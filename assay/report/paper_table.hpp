// SPDX-License-Identifier: Apache-2.0
/// A table as papers print it, in every form that people paste.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Cells are plain text; each form escapes what it must.
struct PaperTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the header
  std::optional<std::size_t> rule_before{};    ///< a line above this row, such as published values
  std::vector<std::string> footnotes{};
};

std::string terminal_table(const PaperTable& table);
std::string markdown_table(const PaperTable& table);
std::string latex_table(const PaperTable& table);  ///< needs the package booktabs

/// Text made harmless between table cells.
std::string markdown_escaped(std::string_view text);
std::string latex_escaped(std::string_view text);

}  // namespace assay
