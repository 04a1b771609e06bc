// SPDX-License-Identifier: Apache-2.0
/// Columns of text that line up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::right;
};

/// Rows of cells under titles, columns as wide as their widest cell, two blanks between them.
std::string text_table(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows);

/// What a cell without a value shows.
inline constexpr std::string_view absent = "–";

inline constexpr std::string_view bold_on = "\x1b[1m", bold_off = "\x1b[0m";

std::string bold(std::string_view text, bool color);

}  // namespace assay::report
