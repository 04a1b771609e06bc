// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/agent/prompt.hpp"
#include "assay/qa/values/options.hpp"
#include "assay/qa/values/truth.hpp"

namespace assay::qa {
namespace {

constexpr std::array<std::string_view, 10> columns = {
    "benchmark_name", "image_path", "answer",  "benchmark_id", "id",
    "file_id",        "prompt",     "options", "is_valid",     "metric_type"};
constexpr std::size_t required_columns = 3;

/// One row by the columns above; empty where the table has no such column.
struct TableRow {
  std::array<std::string, columns.size()> cells{};
  std::size_t line = 0;

  const std::string& operator[](std::string_view column) const {
    return cells[static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin())];
  }
};

[[noreturn]] void fail(const std::string& name, std::size_t line, const std::string& what) {
  throw Error(Error::Kind::input, name, "line " + std::to_string(line) + ": " + what);
}

template <class Has>
void require_columns(const std::string& name, Has has) {
  std::vector<std::string_view> absent;
  for (const std::string_view column : std::span(columns).first(required_columns))
    if (!has(column)) absent.push_back(column);
  if (!absent.empty())
    throw Error(Error::Kind::input, name,
                "has no column '" + joined(absent, "', '") +
                    "'; a table of questions needs benchmark_name, image_path and answer");
}

std::vector<TableRow> csv_rows(std::string_view text, const std::string& name) {
  Csv table = parse_csv(text, name);
  std::array<std::optional<std::size_t>, columns.size()> places;
  for (std::size_t c = 0; c < columns.size(); ++c) places[c] = table.column(columns[c]);
  require_columns(name, [&](std::string_view column) { return table.column(column).has_value(); });
  std::vector<TableRow> rows(table.rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].line = table.lines[r];
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (places[c]) rows[r].cells[c] = std::move(table.rows[r][*places[c]]);
  }
  return rows;
}

/// A cell of a JSON export: texts as they are, lists as JSON, null as nothing.
std::string cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? std::string() : to_text(value, {.indent = 0});
}

TableRow json_row(const Json& object, const std::string& name, std::size_t line) {
  if (!object.is_object()) fail(name, line, "is not an object with the columns of a question");
  require_columns(name + ": line " + std::to_string(line),
                  [&](std::string_view column) { return object.contains(column); });
  TableRow row = {.line = line};
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (object.contains(columns[c])) row.cells[c] = cell(object.at(std::string(columns[c])));
  return row;
}

/// A list of objects, alone or as "items" or "data". Its line is the number of the object.
std::vector<TableRow> json_rows(std::string_view text, const std::string& name) {
  const Json file = parse_json(text, name);
  const Json* list = &file;
  for (const char* key : {"items", "data"})
    if (file.is_object() && file.contains(key)) list = &file.at(key);
  if (list->is_object() && list->contains(columns[0])) return {json_row(*list, name, 1)};
  if (!list->is_array())
    throw Error(Error::Kind::input, name,
                "is JSON, but holds no list of questions (a list, or 'items' or 'data')");
  std::vector<TableRow> rows;
  for (const Json& object : *list) rows.push_back(json_row(object, name, rows.size() + 1));
  return rows;
}

std::vector<TableRow> line_rows(std::string_view text, const std::string& name) {
  std::vector<TableRow> rows;
  std::size_t number = 0;
  for (const std::string_view whole : parts_of(text, '\n')) {
    const std::string_view line = stripped(whole);
    ++number;
    if (line.empty()) continue;
    const std::string place = name + ": line " + std::to_string(number);
    rows.push_back(json_row(parse_json(line, place), name, number));
  }
  return rows;
}

/// JSON Lines has a whole object in its first line and more lines after it.
bool is_json_lines(std::string_view text) {
  const std::string_view first = stripped(text.substr(0, text.find('\n')));
  return first.starts_with('{') && first.ends_with('}') && stripped(text) != first;
}

std::vector<TableRow> rows_of(std::string_view text, const std::string& name) {
  text = without_mark(text);
  const char first = first_sign(text);
  if (first != '{' && first != '[') return csv_rows(text, name);
  return is_json_lines(text) ? line_rows(text, name) : json_rows(text, name);
}

/// Only "true" passes; an empty cell is not a reason to drop a row.
bool is_valid(const TableRow& row) {
  const std::string word = ascii_lowered(stripped(row["is_valid"]));
  return word.empty() || word == "true";
}

std::string id_of(const TableRow& row) {
  for (const std::string_view column : {"benchmark_id", "id", "image_path"})
    if (const std::string_view id = stripped(row[column]); !id.empty()) return std::string(id);
  return "";
}

Item item_of(const TableRow& row, const std::string& name) try {
  Item item;
  item.benchmark = stripped(row["benchmark_name"]);
  item.id = id_of(row);
  if (item.benchmark.empty()) fail(name, row.line, "benchmark_name is empty");
  if (item.id.empty()) fail(name, row.line, "has neither benchmark_id, id nor image_path");
  // Ids are written to JSON, where other bytes would be replaced and no longer be found.
  if (invalid_utf8_at(item.benchmark) || invalid_utf8_at(item.id))
    fail(name, row.line, "its id is not UTF-8 text; save the table as UTF-8");
  item.image_path = stripped(row["image_path"]);
  item.file_id = stripped(row["file_id"]);
  item.options = parse_options(row["options"]);
  item.prompt = row["prompt"].empty() ? "" : injected_prompt(row["prompt"], item.options);
  item.truth = truth_label(row["answer"], item.benchmark, item.options);
  return item;
} catch (const Error& e) {
  if (e.file() == name) throw;
  fail(name, row.line, e.what());
}

class Builder {
 public:
  explicit Builder(const std::string& name) : name_(name) {}

  void add(const TableRow& row) {
    ++out_.rows;
    if (!is_valid(row)) {
      ++out_.invalid;
      return;
    }
    Item item = item_of(row, name_);
    const auto [known, is_new] = lines_.try_emplace({item.benchmark, item.id}, row.line);
    if (!is_new)
      fail(name_, row.line,
           "item '" + item.id + "' of " + item.benchmark + " is also in line " +
               std::to_string(known->second) + "; ids must be unique within a benchmark");
    add_benchmark(item.benchmark, row);
    if (std::ranges::any_of(item.options, is_numeric_option)) numeric_.push_back(item.id);
    out_.items.push_back(std::move(item));
  }

  ItemTable take() && {
    if (!numeric_.empty())
      out_.warnings.push_back(
          name_ + ": " + counted(numeric_.size(), "question") + " with numbers as options (" +
          joined(std::span(numeric_).first(std::min<std::size_t>(numeric_.size(), 5))) +
          "); a number as the answer is taken as the position of an option");
    return std::move(out_);
  }

 private:
  /// The task table decides the metric of the published benchmarks, the rows that of others.
  void add_benchmark(const std::string& benchmark, const TableRow& row) {
    if (std::ranges::find(out_.benchmarks, benchmark, &Benchmark::name) != out_.benchmarks.end())
      return;
    Benchmark added = {.name = benchmark};
    const std::string_view typed = stripped(row["metric_type"]);
    if (const Task* task = find_task(benchmark))
      added.metric = task->metric;
    else if (!typed.empty())
      try {
        added.metric = value_in(stats::classification_metrics(), typed, "metric_type");
      } catch (const Error& e) {
        fail(name_, row.line, e.what());
      }
    out_.benchmarks.push_back(added);
  }

  const std::string& name_;
  ItemTable out_;
  std::map<std::pair<std::string, std::string>, std::size_t> lines_;
  std::vector<std::string> numeric_;
};

}  // namespace

ItemTable parse_items(std::string_view text, const std::string& name) {
  Builder builder(name);
  for (const TableRow& row : rows_of(text, name)) builder.add(row);
  ItemTable out = std::move(builder).take();
  out.sha256 = sha256(text);
  return out;
}

ItemTable read_items(const std::filesystem::path& path) {
  return parse_items(read_text(path), path.string());
}

}  // namespace assay::qa
