// SPDX-License-Identifier: Apache-2.0
#include "assay/io/qa_table.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/core/nearest.hpp"
#include "assay/io/csv.hpp"
#include "assay/io/detail/json.hpp"
#include "assay/io/file.hpp"
#include "assay/qa/options.hpp"
#include "assay/qa/prompt.hpp"
#include "assay/qa/truth.hpp"

namespace assay {
namespace {

using detail::Json;

/// A row of any layout: a cell by the name of its column, "" when it has none.
struct Row {
  std::function<std::string(std::string_view column)> cell;
  std::string place;  ///< "table.csv, line 3"
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Blank means valid; only "true", in any letter case, does too.
bool is_valid(std::string_view cell) {
  const std::string_view word = trimmed(cell);
  constexpr std::string_view yes = "true";
  return word.empty() ||
         (word.size() == yes.size() && std::ranges::equal(word, yes, {}, [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
          }));
}

/// Collects rows into a table.
class Collector {
 public:
  void add(const Row& row) {
    ++table_.rows;
    if (!is_valid(row.cell("is_valid"))) {
      ++table_.invalid;
      return;
    }
    try {
      Item item = item_of(row);
      note_benchmark(item, row);
      refuse_duplicate(item, row.place);
      warn_of_numbers(item);
      table_.items.push_back(std::move(item));
    } catch (const Error& error) {
      throw error.within(row.place);
    }
  }

  ItemTable table() && { return std::move(table_); }

 private:
  static Item item_of(const Row& row) {
    Item item{.benchmark = required(row, "benchmark_name"),
              .id = std::string(trimmed(row.cell("benchmark_id"))),
              .image_path = required(row, "image_path"),
              .file_id = std::string(trimmed(row.cell("file_id"))),
              .prompt = {},
              .options = parse_options(row.cell("options"))};
    if (item.id.empty()) item.id = trimmed(row.cell("id"));
    if (item.id.empty()) item.id = item.image_path;
    item.prompt = injected_prompt(row.cell("prompt"), item.options);
    item.truth = truth_label(row.cell("answer"), item.benchmark, item.options);
    return item;
  }

  static std::string required(const Row& row, std::string_view column) {
    const std::string cell(trimmed(row.cell(column)));
    if (cell.empty())
      throw Error(Error::Kind::input, std::string(column) + " is empty; every row needs one");
    return cell;
  }

  /// The metric of a known benchmark is settled; of another, its rows say it.
  void note_benchmark(const Item& item, const Row& row) {
    const Task* task = find_task(item.benchmark);
    const std::string said(trimmed(row.cell("metric_type")));
    ClassificationMetric metric = task != nullptr ? task->metric : ClassificationMetric::accuracy;
    if (task == nullptr && !said.empty())
      metric = value_in(classification_metrics(), said, "metric_type");
    const auto known = std::ranges::find(table_.benchmarks, item.benchmark, &Benchmark::name);
    if (known == table_.benchmarks.end()) {
      if (task == nullptr && said.empty())
        table_.warnings.push_back(item.benchmark + ": has no metric_type, so accuracy is reported");
      table_.benchmarks.push_back({item.benchmark, metric});
    } else if (known->metric != metric) {
      throw Error(Error::Kind::input, "metric_type is " + said + ", but other rows of " +
                                          item.benchmark + " have another; make them agree");
    }
  }

  void refuse_duplicate(const Item& item, const std::string& place) {
    const auto [before, fresh] = places_.try_emplace({item.benchmark, item.id}, place);
    if (!fresh)
      throw Error(Error::Kind::input, "the item " + item.benchmark + "/" + item.id +
                                          " was there already (" + before->second +
                                          "); ids must be unique within a benchmark");
  }

  void warn_of_numbers(const Item& item) {
    if (item.options.empty() || !std::ranges::all_of(item.options, is_numeric_option)) return;
    table_.warnings.push_back(item.benchmark + "/" + item.id +
                              ": its options are numbers, so an answer such as '" +
                              item.options.front() +
                              "' could mean an option or its position; it is read as the position");
  }

  ItemTable table_;
  std::map<std::pair<std::string, std::string>, std::string> places_;
};

constexpr std::string_view needed[] = {"benchmark_name", "image_path", "answer"};

ItemTable from_csv(std::string_view text, const std::string& name) {
  const Csv csv = parse_csv(text, name);
  for (const std::string_view column : needed)
    if (!csv.column(column))
      throw Error(Error::Kind::input, name + ": has no column '" + std::string(column) + "'" +
                                          did_you_mean(column, csv.header) +
                                          "; a table of questions needs benchmark_name, image_path "
                                          "and answer");
  Collector collector;
  for (std::size_t i = 0; i < csv.rows.size(); ++i) {
    const auto& cells = csv.rows[i];
    collector.add({.cell =
                       [&](std::string_view column) {
                         const auto at = csv.column(column);
                         return at ? cells[*at] : std::string();
                       },
                   .place = name + ", line " + std::to_string(csv.lines[i])});
  }
  return std::move(collector).table();
}

/// A value as a cell: texts as they are, everything else as its JSON.
std::string cell_of(const Json& row, std::string_view column) {
  const auto found = row.find(std::string(column));
  if (found == row.end() || found->is_null()) return "";
  if (found->is_string()) return found->get<std::string>();
  return detail::to_text(*found, {.indent = 0});
}

void add_json(Collector& collector, const Json& row, const std::string& place) {
  if (!row.is_object()) throw Error(Error::Kind::input, place + ": must be an object");
  collector.add(
      {.cell = [&](std::string_view column) { return cell_of(row, column); }, .place = place});
}

ItemTable from_json(std::string_view text, const std::string& name) {
  const Json json = detail::parse_json(text, name);
  const Json* rows = &json;
  if (json.is_object())
    for (const char* key : {"items", "data", "rows"})
      if (json.contains(key)) rows = &json.at(key);
  if (!rows->is_array())
    throw Error(Error::Kind::input,
                name + ": must be a list of questions, or an object with a list \"items\"");
  Collector collector;
  for (std::size_t i = 0; i < rows->size(); ++i)
    add_json(collector, (*rows)[i], name + ", item " + std::to_string(i + 1));
  return std::move(collector).table();
}

ItemTable from_json_lines(std::string_view text, const std::string& name) {
  Collector collector;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    const std::string place = name + ", line " + std::to_string(++number);
    if (!line.empty()) add_json(collector, detail::parse_json(line, place), place);
    at = end + 1;
  }
  return std::move(collector).table();
}

/// Whether each line is an object of its own: the first closes on its line and another follows.
bool has_json_lines(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos || trimmed(text.substr(end)).empty()) return false;
  return trimmed(text.substr(0, end)).ends_with('}');
}

}  // namespace

ItemTable read_items(const std::filesystem::path& path) {
  return parse_items(read_text(path), path.string());
}

ItemTable parse_items(std::string_view text, const std::string& name) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  std::string_view body = text.starts_with(mark) ? text.substr(mark.size()) : text;
  body = trimmed(body);
  const bool object = body.starts_with('{');
  ItemTable table = object && has_json_lines(body)    ? from_json_lines(body, name)
                    : object || body.starts_with('[') ? from_json(body, name)
                                                      : from_csv(text, name);
  table.sha256 = sha256(text);
  if (table.items.empty())
    throw Error(Error::Kind::input, name + ": holds no valid question (" +
                                        std::to_string(table.rows) + " rows, " +
                                        std::to_string(table.invalid) + " marked invalid)");
  return table;
}

}  // namespace assay
