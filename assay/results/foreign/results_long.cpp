// SPDX-License-Identifier: Apache-2.0
/// Reads tables with a row per value: model, case, label, metric, value, status.
#include <algorithm>
#include <map>

#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/results/result_columns.hpp"
#include "assay/results/result_layouts.hpp"

namespace assay::results {
namespace {

struct LongColumns {
  std::size_t id, metric, value;
  std::optional<std::size_t> model, label, status;
};

LongColumns long_columns(const Csv& csv, const std::string& name) {
  const auto needed = [&](Role role, const char* what) {
    if (const auto column = column_for(role, csv.header)) return *column;
    throw Error(Error::Kind::input, name + ": has metrics and values, but no column '" + what +
                                        "' that names the case; add one");
  };
  return {.id = needed(Role::id, "case"),
          .metric = needed(Role::metric, "metric"),
          .value = needed(Role::value, "value"),
          .model = column_for(Role::model, csv.header),
          .label = column_for(Role::label, csv.header),
          .status = column_for(Role::status, csv.header)};
}

/// Columns without a role describe the case.
std::vector<std::size_t> group_columns(const Csv& csv, const LongColumns& is) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < csv.header.size(); ++c)
    if (c != is.id && c != is.metric && c != is.value && c != is.model && c != is.label &&
        c != is.status && !csv.header[c].empty())
      out.push_back(c);
  return out;
}

/// Our keys by the names in the file.
std::map<std::string, std::string, std::less<>> keys_of(const Csv& csv, std::size_t column) {
  std::vector<std::string> names;
  for (const auto& row : csv.rows)
    if (names.empty() || names.back() != row[column])
      if (std::ranges::find(names, row[column]) == names.end()) names.push_back(row[column]);
  const std::vector<std::string> keys = metrics::metric_keys(names);
  std::map<std::string, std::string, std::less<>> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.emplace(names[i], keys[i]);
  return out;
}

/// What a row says when the case could not be scored, and not that a value is undefined.
bool says_lost(std::string_view status) {
  const std::string word = metrics::plain(status);
  return word.starts_with("fail") || word.starts_with("missing") || word == "error";
}

/// A file of ours that lost a case because its reference is missing does not blame the model.
bool is_models_failure(std::string_view status) {
  return metrics::plain(status) != "missingreference";
}

/// Our own files say why a value is missing.
void explain(compare::ResultBuilder& out, const compare::ResultBuilder::Place& place,
             const std::string& key, std::string_view status) {
  const auto metric = metrics::metric_of_key(key);
  const auto why = std::ranges::find(metrics::all_undefined, status,
                                     [](metrics::Undefined u) { return metrics::name(u); });
  if (metric && why != metrics::all_undefined.end()) out.explain(place, *why, {**metric});
}

}  // namespace

std::vector<compare::ResultTable> read_long(const Csv& csv, const std::string& name) {
  const LongColumns is = long_columns(csv, name);
  const auto groups = group_columns(csv, is);
  const auto keys = keys_of(csv, is.metric);
  const std::string stem = stem_of(name);
  Models models(name);
  for (std::size_t r = 0; r < csv.rows.size(); ++r) {
    const auto& row = csv.rows[r];
    compare::ResultBuilder& out = models.of(is.model ? needed_cell(csv, name, r, *is.model) : stem);
    const std::size_t here = out.case_of(case_id(needed_cell(csv, name, r, is.id)));
    for (const std::size_t c : groups) out.group(here, csv.header[c], row[c]);
    const Cell cell = Cell::of(row[is.value]);
    if (cell.kind == Cell::Kind::text) refuse_cell(csv, name, r, is.value);
    const std::string_view status = is.status ? row[*is.status] : std::string_view("ok");
    if (cell.kind == Cell::Kind::none && says_lost(status)) {
      out.lose(here, {.reason = std::string(status), .failed = is_models_failure(status)});
    } else if (!row[is.metric].empty()) {
      const std::size_t label = out.label(is.label ? label_in(row[*is.label]) : std::string_view());
      const std::size_t metric = out.metric(keys.find(row[is.metric])->second);
      if (!out.put({here, label, metric}, cell.number()))
        refuse_second(csv, name, r, {is.model, is.id, is.label, is.metric});
      if (cell.kind == Cell::Kind::none)
        explain(out, {here, label, metric}, keys.find(row[is.metric])->second, status);
    } else if (cell.kind == Cell::Kind::number) {
      needed_cell(csv, name, r, is.metric);
    }
  }
  return std::move(models).tables();
}

std::vector<compare::ResultTable> read_table(std::string_view text, const std::string& name) {
  const Csv csv = parse_csv(text, name);
  if (csv.rows.empty())
    throw Error(Error::Kind::input,
                name + ": has a first line but no rows below it; " + std::string(accepted));
  const bool is_long = column_for(Role::metric, csv.header) && column_for(Role::value, csv.header);
  return is_long ? read_long(csv, name) : read_wide(csv, name);
}

}  // namespace assay::results
