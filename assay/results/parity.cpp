// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json.hpp"
#include "assay/results.hpp"
#include "assay/results/provenance.hpp"

namespace assay::results {
namespace {

Json to_json(const parity::MetricDetail& d, bool with_minimum) {
  Json out = {{"achieved", or_null(d.achieved)},
              {"paper", or_null(d.paper)},
              {"diff", or_null(d.diff)},
              {"pct_diff", or_null(d.pct_diff)},
              {"within_tolerance", or_null(d.within_tolerance)},
              {"acceptable", or_null(d.acceptable)}};
  if (with_minimum) out["minimum"] = or_null(d.minimum);
  out["meets_or_exceeds"] = or_null(d.meets_or_exceeds);
  out["within_paper_sd"] = or_null(d.within_paper_sd);
  return out;
}

Json to_json(const parity::ParityDetails& d) {
  return {{"dice", to_json(d.dice, true)},
          {"dice_std",
           {{"achieved", or_null(d.dice_std.achieved)},
            {"paper", or_null(d.dice_std.paper)},
            {"acceptable", or_null(d.dice_std.acceptable)}}},
          {"avd", to_json(d.avd, false)},
          {"mcc", to_json(d.mcc, false)}};
}

Json to_json(const parity::NumberRead& number) {
  return {{"value", or_null(number.value)},
          {"place", or_null(number.place)},
          {"missing", or_null(number.missing)}};
}

Json sources_json(const parity::ParityReport& r) {
  const parity::Achieved& a = r.achieved;
  Json std = to_json(r.dice_std.std);
  std["over"] = name(r.dice_std.over);
  std["n"] = or_null(r.dice_std.n);
  return {{"file", a.source},        {"block", or_null(a.origin)},
          {"dice", to_json(a.dice)}, {"dice_std", std},
          {"avd", to_json(a.avd)},   {"mcc", to_json(a.mcc)},
          {"runs", or_null(a.runs)}, {"outer_folds", or_null(a.outer_folds)}};
}

Json spreads_json(const parity::ParityReport& r) {
  Json out = Json::array();
  for (const parity::SpreadVerdict& v : r.by_spread)
    out.push_back({{"over", name(v.spread.over)},
                   {"std", or_null(v.spread.std.value)},
                   {"ddof", 0},
                   {"std_ddof_1", or_null(v.spread.sample_std())},
                   {"n", or_null(v.spread.n)},
                   {"place", v.spread.std.place},
                   {"parity_level", name(v.level)},
                   {"used", v.used}});
  return out;
}

Json to_json(const std::optional<parity::Bounds>& b) {
  return b ? Json{b->low, b->high} : Json(nullptr);
}

Json to_json(const parity::MacroVerdict& m) {
  return {{"dice_macro", or_null(m.dice_macro.value)}, {"measured", m.dice_macro.value.has_value()},
          {"estimated", to_json(m.estimated)},         {"already_macro", m.already},
          {"dice_std", or_null(m.dice_std)},           {"parity_level", name(m.level)}};
}

Json to_json(const std::optional<parity::DiceMccPair>& pair) {
  if (!pair) return nullptr;
  return {{"dice", pair->dice},
          {"mcc", pair->mcc},
          {"mcc_if_foreground", to_json(pair->mcc_if_foreground)},
          {"dice_if_macro", to_json(pair->dice_if_macro)},
          {"as_foreground", pair->as_foreground},
          {"as_macro", pair->as_macro}};
}

Json to_json(const parity::Consistency& c) {
  Json line = nullptr;
  if (c.line)
    line = {{"models", c.line->models},
            {"slope", c.line->slope},
            {"intercept", c.line->intercept},
            {"correlation", c.line->correlation},
            {"largest_residual", c.line->largest_residual},
            {"std_ratio", or_null(c.line->std_ratio)}};
  return {
      {"lesion_fractions", {c.fractions.low, c.fractions.high}},
      {"paper", to_json(c.paper)},
      {"achieved", to_json(c.achieved)},
      {"published_line", line},
      {"published_rows",
       {{"n", c.rows}, {"as_foreground", c.rows_as_foreground}, {"as_macro", c.rows_as_macro}}}};
}

Json limits(const std::optional<stats::Interval>& interval) {
  return interval ? Json{interval->lower, interval->upper} : Json(nullptr);
}

Json to_json(const parity::PaperComparison& c, const parity::ScoreSample& sample) {
  return {{"our_mean", c.our_mean},
          {"our_std", c.our_std},
          {"paper_mean", c.paper_mean},
          {"paper_std", or_null(c.paper_std)},
          {"paper_n", or_null(c.paper_n)},
          {"test_type", c.test_type},
          {"wilcoxon_statistic", or_null(c.wilcoxon_statistic)},
          {"p_value", or_null(c.p_value)},
          {"significant", c.significant},
          {"cohens_d", or_null(c.cohens_d)},
          {"cohens_d_missing", or_null(c.cohens_d_missing)},
          {"interpretation", or_null(c.interpretation)},
          {"conclusion", c.conclusion},
          {"n", c.n},
          {"over", name(sample.over)},
          {"place", sample.place},
          {"left_out", sample.left_out},
          {"ddof", 0},
          {"policy", or_null(c.policy)},
          {"method", or_null(c.method)},
          {"alpha", c.alpha},
          {"margin", c.margin},
          {"difference", c.difference},
          {"interval", limits(c.interval)},
          {"tost_p_value", or_null(c.tost_p)},
          {"tost_interval", limits(c.tost_interval)},
          {"verdict", name(c.verdict)}};
}

Json to_json(const std::vector<parity::CheckItem>& items) {
  Json out = Json::array();
  for (const parity::CheckItem& item : items)
    out.push_back({{"item", item.item}, {"answer", name(item.answer)}, {"because", item.because}});
  return out;
}

void add_limits(Json& out, const parity::ParityLimits& l) {
  out["tolerances"] = {{"dice", l.dice_tolerance},
                       {"avd", l.avd_tolerance},
                       {"mcc", l.mcc_tolerance},
                       {"dice_std", l.dice_std}};
  out["limits"] = {
      {"acceptable",
       {{"dice", l.acceptable_dice}, {"avd", l.acceptable_avd}, {"mcc", l.acceptable_mcc}}},
      {"minimum", {{"dice", l.minimum_dice}}}};
}

void add_value(Json& out, const std::string& metric,
               const std::optional<parity::PaperValue>& value) {
  out[metric + "_mean"] = value ? Json(value->mean) : Json(nullptr);
  out[metric + "_std"] = value ? or_null(value->std) : Json(nullptr);
  out[metric + "_n"] = value ? or_null(value->n) : Json(nullptr);
  out[metric + "_differs"] = value && value->differs;
}

Json to_json(const parity::PaperModel& m) {
  Json out = {{"key", m.key}, {"model", m.name}, {"parameters", or_null(m.parameters)}};
  add_value(out, "dice", m.dice);
  add_value(out, "avd", m.avd);
  add_value(out, "mcc", m.mcc);
  out["dice_per_million_parameters"] = or_null(parity::dice_per_million(m.dice.mean, m.parameters));
  return out;
}

}  // namespace

std::string parity_text(const parity::ParityReport& r, const Provenance& provenance) {
  Json out = {{"schema", parity_schema},
              {"model", r.result.model},
              {"dice_mean", or_null(r.result.dice_mean)},
              {"dice_std", or_null(r.result.dice_std)},
              {"avd_mean", or_null(r.result.avd_mean)},
              {"mcc_mean", or_null(r.result.mcc_mean)},
              {"parity_level", name(r.result.parity_level)},
              {"meets_or_exceeds", or_null(r.result.meets_or_exceeds)},
              {"details", to_json(r.result.details)},
              {"sources", sources_json(r)},
              {"spreads", spreads_json(r)},
              {"macro", to_json(r.macro)},
              {"consistency", to_json(r.consistency)}};
  out["comparison"] = r.comparison ? to_json(*r.comparison, r.achieved.sample) : Json(nullptr);
  out["efficiency"] = {{"dice_per_million_parameters", or_null(r.dice_per_million)},
                       {"paper", or_null(r.paper_dice_per_million)}};
  out["minimum_viable"] = to_json(r.minimum_viable);
  out["checklist"] = to_json(r.checklist);
  out["explanation"] = r.explanation;
  out["warnings"] = r.warnings;
  out["benchmark_table"] = r.benchmark_table;
  out["paper"] = to_json(r.paper);
  out["paper"]["source"] = r.paper_source.empty() ? "built in" : r.paper_source;
  add_limits(out, r.limits);
  out["compat"] = r.options.compat_spec ? Json("spec") : Json(nullptr);
  out["provenance"] = provenance_json(provenance);
  return to_text(out, {.python_tokens = r.options.compat_spec}) + "\n";
}

std::string paper_text(const parity::Paper& paper) {
  Json models = Json::array();
  for (const parity::PaperModel& model : paper.models) models.push_back(to_json(model));
  Json out = {{"source", paper.source.empty() ? "built in" : paper.source}, {"models", models}};
  add_limits(out, paper.limits);
  return to_text(out) + "\n";
}

}  // namespace assay::results
