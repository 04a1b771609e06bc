// SPDX-License-Identifier: Apache-2.0
#include <concepts>

#include "assay/base/json.hpp"
#include "assay/base/whole.hpp"
#include "assay/error.hpp"
#include "assay/results.hpp"
#include "assay/results/paper_json.hpp"
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

template <class Value>
std::optional<Value> optional_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if constexpr (std::integral<Value> && !std::same_as<Value, bool>)
    return Value{Whole(*found)};
  else
    return found->get<Value>();
}

parity::MetricDetail detail_in(const Json& object) {
  return {.achieved = optional_in<double>(object, "achieved"),
          .paper = optional_in<double>(object, "paper"),
          .diff = optional_in<double>(object, "diff"),
          .pct_diff = optional_in<double>(object, "pct_diff"),
          .within_tolerance = optional_in<bool>(object, "within_tolerance"),
          .acceptable = optional_in<bool>(object, "acceptable"),
          .minimum = optional_in<bool>(object, "minimum"),
          .meets_or_exceeds = optional_in<bool>(object, "meets_or_exceeds"),
          .within_paper_sd = optional_in<bool>(object, "within_paper_sd")};
}

parity::ParityLevel level_in(const Json& object, const std::string& name) {
  constexpr parity::ParityLevel levels[] = {
      parity::ParityLevel::strict, parity::ParityLevel::acceptable, parity::ParityLevel::minimum,
      parity::ParityLevel::failed, parity::ParityLevel::not_assessable};
  const auto typed = object.at("parity_level").get<std::string>();
  for (const parity::ParityLevel level : levels)
    if (parity::name(level) == typed) return level;
  throw Error(Error::Kind::input, name + ": 'parity_level' is none of the levels");
}

parity::ParityResult result_in(const Json& file, const std::string& name) {
  const Json& details = file.at("details");
  const Json& spread = details.at("dice_std");
  return {.model = file.at("model").get<std::string>(),
          .dice_mean = optional_in<double>(file, "dice_mean"),
          .dice_std = optional_in<double>(file, "dice_std"),
          .avd_mean = optional_in<double>(file, "avd_mean"),
          .mcc_mean = optional_in<double>(file, "mcc_mean"),
          .parity_level = level_in(file, name),
          .details = {.dice = detail_in(details.at("dice")),
                      .dice_std = {.achieved = optional_in<double>(spread, "achieved"),
                                   .paper = optional_in<double>(spread, "paper"),
                                   .acceptable = optional_in<bool>(spread, "acceptable")},
                      .avd = detail_in(details.at("avd")),
                      .mcc = detail_in(details.at("mcc"))},
          .meets_or_exceeds = optional_in<bool>(file, "meets_or_exceeds")};
}

std::optional<parity::PaperValue> value_in(const Json& paper, const std::string& metric) {
  const auto mean = optional_in<double>(paper, (metric + "_mean").c_str());
  if (!mean) return std::nullopt;
  return parity::PaperValue{*mean, optional_in<double>(paper, (metric + "_std").c_str()),
                            paper.value(metric + "_differs", false),
                            optional_in<std::size_t>(paper, (metric + "_n").c_str())};
}

parity::PaperModel paper_in(const Json& paper) {
  return {.key = paper.at("key").get<std::string>(),
          .name = paper.at("model").get<std::string>(),
          .parameters = optional_in<long long>(paper, "parameters"),
          .dice = value_in(paper, "dice").value_or(parity::PaperValue{}),
          .avd = value_in(paper, "avd"),
          .mcc = value_in(paper, "mcc")};
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
  out["paper"] = paper_model_json(r.paper);
  out["paper"]["source"] = r.paper_source.empty() ? "built in" : r.paper_source;
  add_limits(out, r.limits);
  out["compat"] = r.options.compat_spec ? Json("spec") : Json(nullptr);
  out["provenance"] = provenance_json(provenance);
  return to_text(out, {.python_tokens = r.options.compat_spec}) + "\n";
}

parity::ParityReport parse_parity(std::string_view text, const std::string& name) {
  const Json file = parse_json(text, name);
  try {
    parity::ParityReport out{};
    out.achieved.source = file.at("sources").value("file", name);
    out.paper_source = file.at("paper").value("source", "");
    out.paper = paper_in(file.at("paper"));
    out.limits = parse_limits(file);
    out.result = result_in(file, name);
    out.achieved.dice.value = out.result.dice_mean;
    out.achieved.avd.value = out.result.avd_mean;
    out.achieved.mcc.value = out.result.mcc_mean;
    out.dice_std.std.value = out.result.dice_std;
    out.explanation = file.at("explanation").get<std::vector<std::string>>();
    out.warnings = file.at("warnings").get<std::vector<std::string>>();
    return out;
  } catch (const nlohmann::json::exception&) {
    throw Error(Error::Kind::input,
                name + ": is not as 'assay parity' writes it; run the command again");
  }
}

}  // namespace assay::results
