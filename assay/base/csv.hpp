// SPDX-License-Identifier: Apache-2.0
/// Tables of text: RFC 4180, and what spreadsheets and Python really write.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Csv {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the header
  std::vector<std::size_t> lines;              ///< where each row starts, from 1

  /// The position of a column, if there is one.
  std::optional<std::size_t> column(std::string_view name) const;
};

/// Reads comma- or tab-separated text: quotes, doubled quotes, line breaks in fields, CRLF, a
/// byte-order mark, blank lines at the end. The separator is a tab when the header has a tab and no
/// comma, and a semicolon when it has only that. Throws Error::input with `name` and the line on an
/// open quote or a row of another width.
Csv parse_csv(std::string_view text, std::string_view name);

/// One field of text, quoted only when necessary. A spreadsheet runs text that begins with =, +, -,
/// @, a tab or a carriage return, so an apostrophe is put before such a text unless it is a number.
std::string csv_field(std::string_view text);

/// The inverse of `csv_field`, given the content of the field. A text that begins with an
/// apostrophe itself gets a second one, so nothing is lost.
std::string_view csv_text(std::string_view field);

}  // namespace assay
