// SPDX-License-Identifier: Apache-2.0
#include "assay/results/finished_run.hpp"

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/results.hpp"
#include "assay/results/summary_json.hpp"

namespace assay::results {
namespace {

/// A text, or "" if it is null or absent.
std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? "" : found->get<std::string>();
}

metrics::CaseRecord case_in(const Json& json) {
  metrics::CaseRecord out = {
      .id = json.at("id"),
      .fate = json.at("status") == "ok" ? metrics::Fate::scored : metrics::Fate::failed,
      .error = text_in(json, "error")};
  for (const auto& [column, value] : json.at("groups").items())
    out.groups.emplace_back(column, value.get<std::string>());
  out.prediction = text_in(json, "prediction");
  out.reference = text_in(json, "reference");
  out.image = text_in(json, "image");
  out.prediction_sha256 = text_in(json, "prediction_sha256");
  out.reference_sha256 = text_in(json, "reference_sha256");
  out.image_sha256 = text_in(json, "image_sha256");
  return out;
}

metrics::FailureEffect failures_in(const Json& json) {
  const auto number = [&](const char* key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? std::nullopt
                                                   : std::optional(found->get<double>());
  };
  metrics::FailureEffect out;
  out.failures = json.at("failures");
  out.n = json.at("n");
  out.mean_without = number("mean_scored_only");
  out.mean_with = number("mean_with_failures");
  return out;
}

std::vector<SavedSummary> summaries_in(const Json& metrics) {
  std::vector<SavedSummary> out;
  for (const auto& [key, block] : metrics.items())
    if (const auto metric = metrics::metric_of_key(key))
      out.push_back({*metric, summary_of(block), failures_in(block)});
  return out;
}

SavedLabel label_in(const std::string& key, const Json& json) {
  metrics::Region region = {key, json.at("name"), json.at("members").get<std::vector<Label>>()};
  region.is_union = json.at("kind") == "region";
  return {std::move(region), summaries_in(json.at("metrics"))};
}

FinishedRun run_in(const Json& file) {
  FinishedRun out;
  out.version = file.at("provenance").at("assay");
  out.settings_sha256 = file.at("provenance").at("settings_sha256");
  out.model_name = file.at("model_name");
  for (const Json& one : file.at("cases")) out.cases.push_back(case_in(one));
  out.ledger = ledger_of(file.at("ledger"));
  out.metrics = summaries_in(file.at("metrics"));
  for (const auto& [key, label] : file.at("labels").items())
    out.labels.push_back(label_in(key, label));
  return out;
}

}  // namespace

std::optional<FinishedRun> read_finished_run(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  try {
    std::string text = read_text(path);
    const Json file = parse_json(text, path.string());
    if (!file.is_object() || file.value("schema", "") != segmentation_schema) return std::nullopt;
    FinishedRun out = run_in(file);
    out.text = std::move(text);
    return out;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // of an older version, or edited by hand
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace assay::results
