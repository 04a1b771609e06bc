// SPDX-License-Identifier: Apache-2.0
#include "assay/base/csv.hpp"

#include <algorithm>

#include "assay/base/decimal.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : text_(text), name_(name) {
    text_ = without_mark(text_);
    const std::string_view first = text_.substr(0, text_.find('\n'));
    for (const char separator : {',', '\t', ';'})
      if (first.find(separator) != first.npos) {
        separator_ = separator;
        break;
      }
  }

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t line() const { return line_; }

  std::vector<std::string> row(std::size_t expected_fields) {
    std::vector<std::string> fields;
    fields.reserve(expected_fields);
    for (bool more = true; more;) {
      fields.push_back(!at_end() && text_[at_] == '"' ? quoted() : bare());
      more = !at_end() && text_[at_] == separator_;
      if (more) ++at_;
    }
    end_of_line();
    return fields;
  }

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Error::Kind::input, std::string(name_),
                "line " + std::to_string(line) + ": " + what);
  }

 private:
  std::string bare() {
    const std::size_t start = at_;
    while (!at_end() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  std::string quoted() {
    const std::size_t opened = line_;
    std::string field;
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          return field + bare();  // text after a closing quote belongs to the field, as in Python
        }
        ++at_;  // a doubled quote means one quote
      }
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    fail(opened, "a quote is opened and never closed");
  }

  void end_of_line() {
    if (!at_end() && text_[at_] == '\r') ++at_;
    if (!at_end() && text_[at_] == '\n') ++at_;
    ++line_;
  }

  std::string_view text_, name_;
  std::size_t at_ = 0, line_ = 1;
  char separator_ = ',';
};

bool is_blank(const std::vector<std::string>& row) {
  return row.size() == 1 && row.front().empty();
}

/// Whether a spreadsheet takes the text for a formula, or would without its leading apostrophes.
bool is_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  if (text.empty() || std::string_view("=+-@\t\r").find(text.front()) == text.npos) return false;
  const std::string_view digits = text.substr(text.front() == '+' ? 1 : 0);
  double number = 0;
  const auto read = read_decimal(digits, number);
  const bool is_number = read.ec == std::errc{} && read.ptr == text.data() + text.size() &&
                         digits.find_first_not_of("+-.0123456789eE") == digits.npos &&
                         !(text.front() == '+' && digits.starts_with('-'));
  return !is_number;
}

}  // namespace

std::optional<std::size_t> Csv::column(std::string_view name) const {
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

Csv parse_csv(std::string_view text, std::string_view name) {
  Parser parser(text, name);
  Csv table;
  if (parser.at_end()) parser.fail(1, "the table is empty; its first line names the columns");
  table.header = parser.row(8);
  while (!parser.at_end()) {
    const std::size_t line = parser.line();
    auto row = parser.row(table.header.size());
    if (is_blank(row)) continue;
    if (row.size() != table.header.size())
      parser.fail(line, "has " + std::to_string(row.size()) + " fields where the header has " +
                            std::to_string(table.header.size()));
    table.rows.push_back(std::move(row));
    table.lines.push_back(line);
  }
  return table;
}

std::string csv_field(std::string_view text) {
  const std::string_view mark = is_formula(text) ? "'" : "";
  if (text.find_first_of(",\"\n\r\t") == text.npos) return std::string(mark).append(text);
  std::string out = std::string("\"").append(mark);
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string_view csv_text(std::string_view field) {
  return field.starts_with('\'') && is_formula(field) ? field.substr(1) : field;
}

}  // namespace assay
