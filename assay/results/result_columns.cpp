// SPDX-License-Identifier: Apache-2.0
#include "assay/results/result_columns.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "assay/base/decimal.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/results/result_layouts.hpp"

namespace assay::results {
namespace {

struct RoleName {
  Role role;
  std::string_view name;  ///< as `metrics::plain` spells it
};

// For each role, the most likely name first.
constexpr RoleName role_names[] = {
    {Role::model, "model"},       {Role::model, "modelname"},
    {Role::model, "algorithm"},   {Role::model, "algname"},
    {Role::model, "alg"},         {Role::model, "team"},
    {Role::model, "method"},      {Role::id, "id"},
    {Role::id, "case"},           {Role::id, "caseid"},
    {Role::id, "subject"},        {Role::id, "subjectid"},
    {Role::id, "patient"},        {Role::id, "patientid"},
    {Role::id, "imageid"},        {Role::id, "name"},
    {Role::id, "casename"},       {Role::id, "filename"},
    {Role::id, "file"},           {Role::id, "image"},
    {Role::label, "label"},       {Role::label, "class"},
    {Role::label, "structure"},   {Role::label, "region"},
    {Role::label, "organ"},       {Role::label, "task"},
    {Role::metric, "metric"},     {Role::metric, "scorename"},
    {Role::metric, "metricname"}, {Role::metric, "measure"},
    {Role::value, "value"},       {Role::value, "score"},
    {Role::value, "metricvalue"}, {Role::status, "status"},
};

constexpr std::string_view blanks = " \t";

/// Words that stand for a number or for a missing value.
std::optional<Cell> as_word(std::string_view text) {
  constexpr std::array<std::string_view, 7> none = {"nan",  "-nan", "na",  "n/a",
                                                    "none", "null", "#n/a"};
  constexpr std::array<std::string_view, 4> infinite = {"inf", "+inf", "infinity", "+infinity"};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t longest = 10;
  if (text.empty()) return Cell{};
  if (text.size() > longest) return std::nullopt;
  const std::string word = ascii_lowered(text);
  if (std::ranges::find(none, word) != none.end() || word == "<na>") return Cell{};
  if (std::ranges::find(infinite, word) != infinite.end())
    return Cell{Cell::Kind::number, infinity};
  if (word == "-inf" || word == "-infinity") return Cell{Cell::Kind::number, -infinity};
  return std::nullopt;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::optional<std::size_t> column_for(Role role, const std::vector<std::string>& header) {
  std::vector<std::string> names(header.size());
  std::ranges::transform(header, names.begin(), metrics::plain);
  for (const RoleName& each : role_names) {
    if (each.role != role) continue;
    const auto found = std::ranges::find(names, each.name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  if (role != Role::id) return std::nullopt;
  // "BraTS21ID", "BraTS_2020_subject_ID"
  const auto found = std::ranges::find_if(
      names, [](const std::string& n) { return n.starts_with("brats") && n.ends_with("id"); });
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Cell Cell::of(std::string_view text) {
  text = trimmed(text, blanks);
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  // The check is needed because from_chars would also accept words such as "nan(1)".
  const bool may_be_number = !digits.empty() && (is_digit(digits.back()) || digits.back() == '.') &&
                             !(digits.size() < text.size() && digits.front() == '-');
  if (!may_be_number) {
    if (const auto word = as_word(text)) return *word;
    return {Kind::text, 0};
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = read_decimal(digits, value);
  if (read.ptr != end || read.ec != std::errc{}) return {Kind::text, 0};
  return {Kind::number, value};
}

bool has_decimal_comma(std::string_view text) {
  std::string with_point(trimmed(text, blanks));
  const std::size_t comma = with_point.find(',');
  if (comma == std::string::npos || comma == 0 || !is_digit(with_point[comma - 1])) return false;
  with_point[comma] = '.';
  return Cell::of(with_point).kind == Cell::Kind::number;
}

void refuse_cell(const Csv& csv, const std::string& name, std::size_t row, std::size_t column) {
  const std::string& cell = csv.rows[row][column];
  throw Error(Error::Kind::input,
              name + ": line " + std::to_string(csv.lines[row]) + ", column '" +
                  excerpt(csv.header[column]) + "': '" + excerpt(cell) + "' is not a number" +
                  (has_decimal_comma(cell) ? "; write it with a decimal point"
                                           : "; leave the cell empty where there is no value"));
}

void refuse_second(const Csv& csv, const std::string& name, std::size_t row,
                   const std::vector<std::optional<std::size_t>>& columns) {
  std::string what;
  for (const auto& column : columns)
    if (column)
      what.append(what.empty() ? "" : ", ")
          .append(excerpt(csv.header[*column]))
          .append(" '")
          .append(excerpt(csv.rows[row][*column]))
          .append("'");
  throw Error(Error::Kind::input, name + ": line " + std::to_string(csv.lines[row]) +
                                      ": a second row for " + what + "; remove one");
}

std::string_view label_in(std::string_view cell) {
  constexpr std::array<std::string_view, 4> whole = {"mean", "average", "avg", "overall"};
  return std::ranges::find(whole, metrics::plain(cell)) != whole.end() ? std::string_view()
                                                                       : trimmed(cell, blanks);
}

compare::ResultBuilder& Models::of(std::string_view model) {
  if (last_ < models_.size() && models_[last_].first == model) return models_[last_].second;
  const auto found =
      std::ranges::find(models_, model, &std::pair<std::string, compare::ResultBuilder>::first);
  last_ = static_cast<std::size_t>(found - models_.begin());
  if (found == models_.end())
    models_.emplace_back(model, compare::ResultBuilder(std::string(model), source_));
  return models_[last_].second;
}

std::vector<compare::ResultTable> Models::tables() && {
  if (models_.empty())
    throw Error(Error::Kind::input, source_ + ": lists no cases, only summary rows");
  std::vector<compare::ResultTable> out;
  for (auto& [model, builder] : models_) out.push_back(std::move(builder).table());
  return out;
}

std::string_view needed_cell(const Csv& csv, const std::string& name, std::size_t row,
                             std::size_t column) {
  const std::string_view cell = trimmed(csv.rows[row][column], blanks);
  if (cell.empty())
    throw Error(Error::Kind::input, name + ": line " + std::to_string(csv.lines[row]) +
                                        " has no '" + excerpt(csv.header[column]) +
                                        "'; give every row one");
  return cell;
}

std::string stem_of(const std::string& path) {
  return std::filesystem::path(last_part(path)).stem().string();
}

}  // namespace assay::results
