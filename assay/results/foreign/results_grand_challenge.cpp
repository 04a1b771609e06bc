// SPDX-License-Identifier: Apache-2.0
/// Writes metrics.json of grand-challenge.org. The platform reads a number by its path, such as
/// aggregates.dice.mean, and cannot rank a submission where it finds null. So whatever has no value
/// is left out, and `undefined` says why.
#include <algorithm>
#include <cmath>

#include "assay/base/json.hpp"
#include "assay/base/json_append.hpp"
#include "assay/base/named.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/results/summary_json.hpp"

namespace assay::results {
namespace {

bool is_finite_number(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

/// The numbers of a block; everything else is left out.
Json only_numbers(const Json& block) {
  Json out = Json::object();
  for (const auto& item : block.items()) {
    const auto& parts = elements(item.value());
    const bool are_numbers = !parts.empty() && std::ranges::all_of(parts, is_finite_number);
    if (is_finite_number(item.value()) || are_numbers) out[item.key()] = item.value();
  }
  return out;
}

/// Scores by metric: numbers under `values`, undefined ones with their reason under `undefined`.
struct Told {
  Json values = Json::object(), undefined = Json::object();

  void add(const std::string& key, const metrics::Score& score) {
    const auto* why = std::get_if<metrics::Undefined>(&score);
    if (why != nullptr)
      undefined[key] = metrics::name(*why);
    else if (const Json number = std::get<double>(score); is_finite_number(number))
      values[key] = number;
    else
      undefined[key] = "infinite";
  }

  void add_to(JsonMembers& block) const {
    block.add("metrics", values);
    if (!undefined.empty()) block.add("undefined", undefined);
  }
};

/// Summaries by metric, and how many values each leaves out, by reason.
struct Aggregates {
  Json values = Json::object(), undefined = Json::object();

  void add(const metrics::SegmentationResult& result, std::size_t metric,
           const std::vector<metrics::Score>& scores) {
    const metrics::ChosenMetric& chosen = result.settings.metrics[metric];
    const metrics::Summary summary =
        metrics::summary(scores, {chosen->range, result.settings.interval});
    if (const Json reasons = reasons_json(summary.undefined); !reasons.empty())
      undefined[chosen.key] = reasons;
    Json block = {{"n", summary.n}};
    add_statistics(block, summary);
    if (summary.n != 0) values[chosen.key] = only_numbers(block);
  }
};

/// The status of a case in one word.
std::string_view status_of(const metrics::CaseScores& scores) {
  if (scores.record.fate == metrics::Fate::scored) return words::ok;
  return metrics::is_counted(scores) ? words::counted_as_worst : words::failed;
}

void write_case(JsonMembers& out, const metrics::CaseScores& scores,
                const metrics::SegmentationResult& result) {
  out.add("case", scores.record.id);
  out.add("status", status_of(scores));
  if (!scores.record.error.empty()) out.add("error", scores.record.error);
  if (!metrics::is_counted(scores)) return;
  Told averages;
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
    averages.add(result.settings.metrics[m].key,
                 metrics::average_of(scores, result.regions, m).score);
  averages.add_to(out);
  if (scores.labels.size() < 2) return;
  out.add_object("labels", [&](JsonMembers& labels) {
    for (std::size_t r = 0; r < scores.labels.size(); ++r) {
      Told of_label;
      for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
        of_label.add(result.settings.metrics[m].key, scores.labels[r].scores[m]);
      labels.add_object(result.regions[r].key, [&](JsonMembers& label) { of_label.add_to(label); });
    }
  });
}

Json labels_json(const metrics::SegmentationResult& result) {
  Json out = Json::object();
  for (std::size_t r = 0; r < result.regions.size(); ++r) {
    Aggregates of_label;
    for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
      of_label.add(result, m, metrics::region_scores(result, m, r));
    Json& label = append_member(out, result.regions[r].key);
    label = {{"name", result.regions[r].name}, {"aggregates", of_label.values}};
    if (!of_label.undefined.empty()) label["undefined"] = of_label.undefined;
  }
  return out;
}

}  // namespace

void write_grand_challenge(const metrics::SegmentationResult& result, const TextSink& sink,
                           const Executor& executor) {
  Aggregates over_cases;
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
    over_cases.add(result, m, metrics::case_averages(result, m));
  JsonObjectWriter out(sink, {.indent = 4});
  out.member("aggregates", over_cases.values);
  if (!over_cases.undefined.empty()) out.member("undefined", over_cases.undefined);
  out.member("labels", labels_json(result));
  out.list(
      "results", result.cases.size(),
      [&](std::size_t i, JsonMembers& one) { write_case(one, result.cases[i], result); }, executor);
  out.member("ledger", ledger_json(result.ledger, Json::object()));
  if (!result.warnings.empty()) out.member("warnings", result.warnings);
  out.member("settings", {{"convention", result.settings.convention->name},
                          {"missing", name_in(metrics::missing_rules(), result.settings.missing)}});
  out.end();
}

}  // namespace assay::results
