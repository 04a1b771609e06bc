// SPDX-License-Identifier: Apache-2.0
/// Reads tables with a row per case (or per case and label) and a column per metric.
#include <algorithm>
#include <array>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/results/result_columns.hpp"
#include "assay/results/result_layouts.hpp"

namespace assay::results {
namespace {

struct Columns {
  std::optional<std::size_t> id, model, label;
  std::vector<std::size_t> metrics, groups;
};

/// What kinds of cells a column has.
struct Census {
  std::size_t numbers = 0, texts = 0, commas = 0;
  std::optional<std::size_t> first_text{};
  bool whole = true;  ///< every number is written in digits alone
};

Census census_of(const Csv& csv, std::size_t column) {
  Census out;
  for (std::size_t r = 0; r < csv.rows.size(); ++r) {
    const std::string& text = csv.rows[r][column];
    const Cell cell = Cell::of(text);
    if (cell.kind == Cell::Kind::number) {
      ++out.numbers;
      if (text.find_first_not_of("0123456789 ") != text.npos) out.whole = false;
    } else if (cell.kind == Cell::Kind::text) {
      ++out.texts;
      if (has_decimal_comma(text)) ++out.commas;
      if (!out.first_text) out.first_text = r;
    }
  }
  return out;
}

/// Sorts a column into metrics and groups. A typing mistake must not turn a metric into a group, so
/// a text is refused where the column has a metric's name or most of its cells are numbers.
void place_column(const Csv& csv, const std::string& name, std::size_t column, Columns& out) {
  const bool is_ours = metrics::metric_key(csv.header[column]).has_value();
  const Census census = census_of(csv, column);
  if (census.texts > 0) {
    const std::size_t meant = census.numbers + census.commas;
    if (is_ours || 2 * meant > census.numbers + census.texts)
      refuse_cell(csv, name, *census.first_text, column);
    out.groups.push_back(column);
    return;
  }
  if (census.numbers == 0 && !is_ours) return;  // an empty column says nothing
  out.metrics.push_back(column);
  if (census.whole && !is_ours) out.groups.push_back(column);  // 1, 2, 3 may number sites or folds
}

/// 0, 1, 2, ... is what a data frame writes when its rows have no names.
bool counts_rows(const Csv& csv, std::size_t column) {
  for (std::size_t r = 0; r < csv.rows.size(); ++r)
    if (csv.rows[r][column] != std::to_string(r)) return false;
  return true;
}

bool is_unnamed(const std::string& title) {
  return metrics::plain(title).empty() || title.starts_with("Unnamed: ");
}

/// The column that names the cases. Some tables call it "label", or have it first without a title.
void settle_ids(const Csv& csv, Columns& out) {
  out.id = column_for(Role::id, csv.header);
  if (!out.id && is_unnamed(csv.header.front()) && !counts_rows(csv, 0)) out.id = 0;
  if (!out.id) std::swap(out.id, out.label);
}

void refuse_equal_titles(const Csv& csv, const std::string& name) {
  std::vector<std::string> titles = csv.header;
  std::erase_if(titles, [](const std::string& title) { return title.empty(); });
  std::ranges::sort(titles);
  const auto twice = std::ranges::adjacent_find(titles);
  if (twice != titles.end())
    throw Error(Error::Kind::input,
                name + ": two columns are called '" + excerpt(*twice) + "'; rename one");
}

Columns columns_of(const Csv& csv, const std::string& name) {
  refuse_equal_titles(csv, name);
  Columns out;
  out.model = column_for(Role::model, csv.header);
  out.label = column_for(Role::label, csv.header);
  settle_ids(csv, out);
  for (std::size_t c = 0; c < csv.header.size(); ++c)
    if (c != out.id && c != out.model && c != out.label && !is_unnamed(csv.header[c]))
      place_column(csv, name, c, out);
  if (out.metrics.empty())
    throw Error(Error::Kind::input, name + ": has no column of numbers; " + std::string(accepted));
  return out;
}

/// Tables of challenges end with rows such as "Mean" and "StdDev", which are not cases.
std::size_t rows_without_summary(const Csv& csv, const Columns& is) {
  constexpr std::array<std::string_view, 14> words = {
      "mean", "average", "avg",        "median",     "std", "stddev", "sd",
      "min",  "max",     "25quantile", "75quantile", "q25", "q75",    "iqr"};
  std::size_t rows = csv.rows.size();
  if (!is.id) return rows;
  while (rows > 0 &&
         std::ranges::find(words, metrics::plain(csv.rows[rows - 1][*is.id])) != words.end())
    --rows;
  return rows;
}

}  // namespace

std::vector<compare::ResultTable> read_wide(const Csv& csv, const std::string& name) {
  const Columns is = columns_of(csv, name);
  std::vector<std::string> titles;
  for (const std::size_t c : is.metrics) titles.push_back(csv.header[c]);
  const std::vector<std::string> keys = metrics::metric_keys(titles);
  const std::string stem = stem_of(name);
  Models models(name);
  const std::size_t rows = rows_without_summary(csv, is);
  for (std::size_t r = 0; r < rows; ++r) {
    compare::ResultBuilder& out = models.of(is.model ? needed_cell(csv, name, r, *is.model) : stem);
    if (!is.id) out.forget_ids();
    const std::size_t here =
        is.id ? out.case_of(case_id(needed_cell(csv, name, r, *is.id))) : out.add_case();
    const std::size_t label =
        out.label(is.label ? label_in(csv.rows[r][*is.label]) : std::string_view());
    for (std::size_t m = 0; m < keys.size(); ++m)
      if (!out.put({here, label, out.metric(keys[m])},
                   Cell::of(csv.rows[r][is.metrics[m]]).number()))
        refuse_second(csv, name, r, {is.model, is.id, is.label});
    for (const std::size_t c : is.groups) out.group(here, csv.header[c], csv.rows[r][c]);
  }
  return std::move(models).tables();
}

}  // namespace assay::results
