// SPDX-License-Identifier: Apache-2.0
/// Tables with a row per value, written and read: model, case, label, metric, value, status.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "assay/base/csv.hpp"
#include "assay/base/shortest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/results.hpp"
#include "assay/results/result_columns.hpp"
#include "assay/results/result_layouts.hpp"
#include "assay/results/segmentation.hpp"

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

/// Columns without a role describe the case, so they are groups.
std::vector<std::size_t> group_columns(const Csv& csv, const LongColumns& is) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < csv.header.size(); ++c)
    if (c != is.id && c != is.metric && c != is.value && c != is.model && c != is.label &&
        c != is.status && !csv.header[c].empty())
      out.push_back(c);
  return out;
}

/// Maps the metric names in the file to our keys.
std::map<std::string, std::string, std::less<>> keys_of(const Csv& csv, std::size_t column) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const auto& row : csv.rows)
    if (seen.insert(row[column]).second) names.push_back(row[column]);
  const std::vector<std::string> keys = metrics::metric_keys(names);
  std::map<std::string, std::string, std::less<>> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.emplace(names[i], keys[i]);
  return out;
}

/// Whether the status says that the case could not be scored, rather than that a value is
/// undefined.
bool says_lost(std::string_view status) {
  const std::string word = metrics::plain(status);
  return word.starts_with("fail") || word.starts_with("missing") || word == "error";
}

/// In our own files a case that was lost because its reference is missing is not the model's fault.
bool is_models_failure(std::string_view status) {
  return metrics::plain(status) != "missingreference";
}

/// Keeps the reason that our own files give for a missing value.
void explain(compare::ResultBuilder& out, const compare::ResultBuilder::Place& place,
             const std::string& key, std::string_view status) {
  const auto metric = metrics::metric_of_key(key);
  const auto why = std::ranges::find(metrics::all_undefined, status,
                                     [](metrics::Undefined u) { return metrics::name(u); });
  if (metric && why != metrics::all_undefined.end()) out.explain(place, *why, {**metric});
}

/// Why a value is missing. The status must also show whose fault it is, which a denominator of zero
/// does not. In that case it says which mask is empty.
std::string_view long_status(const metrics::LabelScores& label, std::size_t metric) {
  if (label.missing) return metrics::name(*label.missing);
  const auto* why = std::get_if<metrics::Undefined>(&label.scores[metric]);
  if (why == nullptr) return "ok";
  return label.failed[metric] ? metrics::name(metrics::presence(label.evidence.counts))
                              : metrics::name(*why);
}

constexpr const char* long_header = "model,case,label,metric,value,status";

/// The group columns of all cases, in order of first appearance.
std::vector<std::string> columns_of_groups(const metrics::SegmentationResult& result) {
  std::vector<std::string> out;
  for (const metrics::CaseScores& c : result.cases)
    for (const auto& [column, value] : c.record.groups)
      if (std::ranges::find(out, column) == out.end()) out.push_back(column);
  return out;
}

/// A group with the name of a column of the long form gets a name of its own.
std::string group_title(const std::string& column) {
  const std::string taken = "," + std::string(long_header) + ",";
  return taken.find("," + column + ",") == std::string::npos ? column : "group_" + column;
}

/// ",A,61": the value of each group column for a case.
std::string group_fields(const metrics::Groups& groups, const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& column : columns) {
    const auto found = std::ranges::find(groups, column, &metrics::Groups::value_type::first);
    out += "," + (found == groups.end() ? "" : csv_field(found->second));
  }
  return out;
}

/// Whether we wrote the file. In other tools' files a leading apostrophe may mean something else.
bool is_ours(const Csv& csv) {
  const auto names = parts_of(long_header, ',');
  return csv.header.size() >= names.size() &&
         std::equal(names.begin(), names.end(), csv.header.begin());
}

/// Removes the marks with which `csv_field` keeps spreadsheets from running texts as formulas.
void take_off_marks(Csv& csv) {
  const auto take_off = [](std::vector<std::string>& row) {
    for (std::string& cell : row)
      if (csv_text(cell).size() < cell.size()) cell.erase(0, 1);
  };
  take_off(csv.header);
  for (auto& row : csv.rows) take_off(row);
}

}  // namespace

void write_long_csv(const metrics::SegmentationResult& result, const TextSink& sink) {
  const std::vector<std::string> columns = columns_of_groups(result);
  std::string out = long_header;
  for (const std::string& column : columns) out += "," + csv_field(group_title(column));
  out += '\n';
  const std::string model = csv_field(result.settings.model_name);
  for (const metrics::CaseScores& scores : result.cases) {
    const std::string id = csv_field(scores.record.id);
    const std::string_view fate = name(scores.record.fate);
    const std::string groups = group_fields(scores.record.groups, columns);
    if (scores.labels.empty()) out += fmt::format("{},{},,,,{}{}\n", model, id, fate, groups);
    for (std::size_t r = 0; r < scores.labels.size(); ++r)
      for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
        const metrics::Score& s = scores.labels[r].scores[m];
        const std::string_view status =
            scores.record.fate != metrics::Fate::scored ? fate : long_status(scores.labels[r], m);
        out += fmt::format("{},{},{},{},{},{}{}\n", model, id, csv_field(result.regions[r].key),
                           result.settings.metrics[m].key, value(s) ? shortest(*value(s)) : "",
                           status, groups);
      }
    sink(out);
    out.clear();
  }
  sink(out);  // only the header is left when there are no cases
}

std::string long_csv(const metrics::SegmentationResult& result) {
  std::string text;
  write_long_csv(result, [&](std::string_view piece) { text += piece; });
  return text;
}

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
  Csv csv = parse_csv(text, name);
  if (is_ours(csv)) take_off_marks(csv);
  if (csv.rows.empty())
    throw Error(Error::Kind::input,
                name + ": has a first line but no rows below it; " + std::string(accepted));
  const bool is_long = column_for(Role::metric, csv.header) && column_for(Role::value, csv.header);
  return is_long ? read_long(csv, name) : read_wide(csv, name);
}

}  // namespace assay::results
