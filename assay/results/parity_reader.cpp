// SPDX-License-Identifier: Apache-2.0
/// Reads `assay.parity/1` back, as far as a report shows it.
#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/results.hpp"

namespace assay::results {
namespace {

template <class Value>
std::optional<Value> optional_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
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

parity::ParityLimits limits_in(const Json& file) {
  const Json& tolerances = file.at("tolerances");
  const Json& acceptable = file.at("limits").at("acceptable");
  return {.dice_tolerance = tolerances.at("dice").get<double>(),
          .avd_tolerance = tolerances.at("avd").get<double>(),
          .mcc_tolerance = tolerances.at("mcc").get<double>(),
          .dice_std = tolerances.at("dice_std").get<double>(),
          .acceptable_dice = acceptable.at("dice").get<double>(),
          .acceptable_avd = acceptable.at("avd").get<double>(),
          .acceptable_mcc = acceptable.at("mcc").get<double>(),
          .minimum_dice = file.at("limits").at("minimum").at("dice").get<double>()};
}

}  // namespace

parity::ParityReport parse_parity(std::string_view text, const std::string& name) {
  const Json file = parse_json(text, name);
  try {
    parity::ParityReport out{};
    out.achieved.source = file.at("sources").value("file", name);
    out.paper_source = file.at("paper").value("source", "");
    out.paper = paper_in(file.at("paper"));
    out.limits = limits_in(file);
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
