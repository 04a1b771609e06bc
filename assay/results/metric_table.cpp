// SPDX-License-Identifier: Apache-2.0
#include "assay/results/metric_table.hpp"

#include "assay/metrics/synonyms.hpp"
#include "assay/results/evidence_json.hpp"

namespace assay::results {
namespace {

/// A fixed value, the reason why there is none, or "formula" when the formula decides.
Json rule(const std::optional<metrics::Score>& given) {
  if (!given) return "formula";
  if (const auto x = metrics::value(*given)) return *x;
  return {{"undefined", name(std::get<metrics::Undefined>(*given))}};
}

Json to_json(const metrics::Metric& m) {
  return {{"key", m.name},
          {"title", m.title},
          {"synonyms", metrics::synonyms_of(m)},
          {"group", m.group},
          {"formula", m.equation},
          {"unit", m.unit},
          {"direction", name(m.better)},
          {"range", {m.range.low, m.range.high}},
          {"empty",
           {{"both", rule(m.empty.both)},
            {"reference", rule(m.empty.reference)},
            {"prediction", rule(m.empty.prediction)}}},
          {"failure", failure_json(m)},
          {"note", m.note},
          {"reference", m.reference}};
}

Json to_json(const metrics::Convention& c) {
  return {{"name", c.name},
          {"summary", c.summary},
          {"covers", c.covered.empty() ? Json("all") : Json(c.covered)},
          {"lesions", lesion_settings_json(c.lesions)}};
}

}  // namespace

std::string metric_table_json() {
  Json rows = Json::array(), rules = Json::array();
  for (const metrics::Metric& m : metrics::metrics()) rows.push_back(to_json(m));
  for (const metrics::Convention& c : metrics::conventions()) rules.push_back(to_json(c));
  return to_text(Json{{"schema", metrics_schema}, {"metrics", rows}, {"conventions", rules}}) +
         "\n";
}

}  // namespace assay::results
