// SPDX-License-Identifier: Apache-2.0
/// What the columns and cells of a results table mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/csv.hpp"
#include "assay/compare/result_builder.hpp"

namespace assay::results {

enum class Role { model, id, label, metric, value, status };

/// The column that plays a role, recognised by its name; the most likely one when several could.
std::optional<std::size_t> column_for(Role role, const std::vector<std::string>& header);

/// One cell: a number, no value ("", "nan", "NA", ...), or something else.
struct Cell {
  enum class Kind { number, none, text } kind = Kind::none;
  double value = 0;

  /// Does not throw: a cell that is neither a number nor missing is text.
  static Cell of(std::string_view text);
  std::optional<double> number() const {
    return kind == Kind::number ? std::optional(value) : std::nullopt;
  }
};

/// "0,85": a number with a decimal comma, as much of Europe writes it.
bool has_decimal_comma(std::string_view text);

/// Throws Error::input: "t.csv: line 3, column 'dice': 'abc' is not a number".
[[noreturn]] void refuse_cell(const Csv& csv, const std::string& name, std::size_t row,
                              std::size_t column);

/// Throws an Error::input that says that the given cells name something that already has a row.
[[noreturn]] void refuse_second(const Csv& csv, const std::string& name, std::size_t row,
                                const std::vector<std::optional<std::size_t>>& columns);

/// The label that a cell names; "" where it stands for the mean over all labels.
std::string_view label_in(std::string_view cell);

/// The models of a table, in order of first appearance.
class Models {
 public:
  explicit Models(std::string source) : source_(std::move(source)) {}
  compare::ResultBuilder& of(std::string_view model);
  std::vector<compare::ResultTable> tables() &&;

 private:
  std::string source_;
  std::vector<std::pair<std::string, compare::ResultBuilder>> models_;
  std::size_t last_ = 0;
};

/// A cell that must not be empty. Throws Error::input when it is.
std::string_view needed_cell(const Csv& csv, const std::string& name, std::size_t row,
                             std::size_t column);

/// The model's name, taken from the file's name when nothing else states it.
std::string stem_of(const std::string& path);

}  // namespace assay::results
