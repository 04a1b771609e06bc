// SPDX-License-Identifier: Apache-2.0
/// The way back: journal records and results files into values.
#include <algorithm>
#include <cmath>

#include "assay/core/error.hpp"
#include "assay/io/detail/json.hpp"
#include "assay/io/file.hpp"
#include "assay/io/results.hpp"
#include "assay/stats/moments.hpp"

namespace assay {
namespace {

using detail::Json;

Fate parse_fate(std::string_view text) {
  for (const Fate fate :
       {Fate::scored, Fate::failed, Fate::missing_prediction, Fate::missing_reference})
    if (name(fate) == text) return fate;
  throw Error(Error::Kind::input, "unknown fate '" + std::string(text) + "'");
}

Confusion parse_counts(const Json& list) {
  return {.tp = list.at(0), .fp = list.at(1), .fn = list.at(2), .tn = list.at(3)};
}

std::optional<double> number(const Json& value) {
  if (!value.is_number() || std::isnan(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

/// The mean over the labels of one case that have a value.
std::optional<double> case_average(const Json& labels, const std::string& metric) {
  std::vector<double> values;
  for (const Json& label : labels)
    if (const auto x = label.contains(metric) ? number(label[metric]) : std::nullopt)
      values.push_back(*x);
  if (values.empty()) return std::nullopt;
  return mean(values);
}

ResultTable read_ours(const Json& file) {
  ResultTable table;
  table.model_name = file.at("model_name");
  for (const auto& item : file.at("metrics").items()) table.averages.push_back({item.key(), {}});
  for (const Json& one : file.at("cases")) {
    if (one.at("label").empty()) continue;
    table.ids.push_back(one.at("id"));
    for (MetricColumn& column : table.averages)
      column.values.push_back(case_average(one.at("label"), column.name));
  }
  table.cases = table.ids.size();
  return table;
}

ResultTable read_specification(const Json& file) {
  ResultTable table;
  table.model_name = file.at("model_name");
  for (const char* key : {"dice", "avd", "mcc"}) {
    MetricColumn column = {key, {}};
    for (const Json& x : file.at(key).at("values")) column.values.push_back(number(x));
    table.cases = column.values.size();
    table.averages.push_back(std::move(column));
  }
  return table;
}

}  // namespace

CaseRecord parse_record(std::string_view text) {
  try {
    const Json json = detail::parse_json(text, "record");
    CaseRecord r = {.id = json.at("id"),
                    .fate = parse_fate(json.at("fate").get<std::string>()),
                    .error = json.at("error")};
    r.reference_at_fault = json.at("reference_at_fault");
    r.warnings = json.at("warnings").get<std::vector<std::string>>();
    for (const Json& group : json.at("groups")) r.groups.emplace_back(group.at(0), group.at(1));
    r.prediction = json.at("prediction");
    r.reference = json.at("reference");
    r.prediction_sha256 = json.at("prediction_sha256");
    r.reference_sha256 = json.at("reference_sha256");
    for (const auto& item : json.at("counts").items())
      r.counts[item.key()] = parse_counts(item.value());
    r.voxels = json.at("voxels");
    r.voxel_ml = json.at("voxel_ml");
    return r;
  } catch (const Json::exception&) {
    throw Error(Error::Kind::input, "a case record lacks a field or has one of another type");
  }
}

std::vector<ResultTable> read_results(const std::filesystem::path& path) {
  return parse_results(read_text(path), path.string());
}

std::vector<ResultTable> parse_results(std::string_view text, const std::string& name) {
  const Json file = detail::parse_json(text, name);
  try {
    if (file.is_object() && file.contains("schema")) {
      const auto schema = file.at("schema").get<std::string>();
      if (schema == "assay.segmentation/1") return {read_ours(file)};
      throw Error(Error::Kind::input,
                  name + ": holds '" + schema + "', where 'assay.segmentation/1' is needed");
    }
    if (file.is_object() && file.contains("model_name") && file.contains("dice"))
      return {read_specification(file)};
  } catch (const Json::exception&) {
    throw Error(Error::Kind::input, name +
                                        ": a results file, but a field is missing or of "
                                        "another type than expected");
  }
  throw Error(Error::Kind::input,
              name + ": not a results file; write one with 'assay score ... --out results.json'");
}

}  // namespace assay
