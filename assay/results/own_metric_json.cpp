// SPDX-License-Identifier: Apache-2.0
#include "assay/results/own_metric_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::results {
namespace {

using metrics::OwnDeclaration;

constexpr std::pair<const char*, std::string OwnDeclaration::*> own_texts[] = {
    {"name", &OwnDeclaration::name},         {"title", &OwnDeclaration::title},
    {"equation", &OwnDeclaration::equation}, {"unit", &OwnDeclaration::unit},
    {"note", &OwnDeclaration::note},         {"reference", &OwnDeclaration::reference},
    {"kind", &OwnDeclaration::kind},         {"sha256", &OwnDeclaration::sha256},
};

/// A rule for empty masks, and the reason to give if it leaves no value.
struct EmptyCase {
  const char* key;
  std::optional<metrics::Score> metrics::EmptyRule::*rule;
  metrics::Undefined reason;
};
constexpr EmptyCase empty_cases[] = {
    {"both", &metrics::EmptyRule::both, metrics::Undefined::both_empty},
    {"reference", &metrics::EmptyRule::reference, metrics::Undefined::reference_empty},
    {"prediction", &metrics::EmptyRule::prediction, metrics::Undefined::prediction_empty},
};
constexpr std::string_view is_undefined = "undefined", is_computed = "call";

constexpr std::array own_directions = {metrics::Better::higher, metrics::Better::lower,
                                       metrics::Better::zero, metrics::Better::neither};

[[noreturn]] void refuse_own(const OwnDeclaration& of, const std::string& sentence) {
  throw Error(Error::Kind::usage,
              (of.name.empty() ? "a metric" : "the metric '" + of.name + "'") + " " + sentence);
}

Json own_limit_json(double limit) {
  return std::isfinite(limit) ? Json(limit) : Json(nullptr);
}

Json own_empty_json(const std::optional<metrics::Score>& rule) {
  if (!rule) return is_computed;
  const auto x = metrics::value(*rule);
  return x ? Json(*x) : Json(is_undefined);
}

std::string own_text(const Json& json, const char* key, const OwnDeclaration& of) {
  const Json& found = member(json, key);
  if (found.is_null()) return "";
  if (!found.is_string()) refuse_own(of, std::string("has a '") + key + "' that is not a text");
  return found.get<std::string>();
}

metrics::Better own_direction(const Json& json, const OwnDeclaration& of) {
  const std::string text = own_text(json, "better", of);
  const auto* const found = std::ranges::find_if(
      own_directions, [&](metrics::Better better) { return metrics::name(better) == text; });
  if (found == own_directions.end())
    refuse_own(of,
               "does not say which way it improves; a number whose direction is not known cannot "
               "be compared: give better as higher, lower, zero or neither");
  return *found;
}

metrics::Range own_range(const Json& json, const OwnDeclaration& of) {
  const Json& found = member(json, "range");
  if (found.is_null()) return of.range;
  metrics::Range out = of.range;
  bool is_pair = found.is_array() && found.size() == 2;
  for (std::size_t i = 0; is_pair && i < 2; ++i) {
    const Json& limit = found.at(i);
    if (limit.is_number()) (i == 0 ? out.low : out.high) = limit.get<double>();
    is_pair = limit.is_number() || limit.is_null();
  }
  if (!is_pair) refuse_own(of, "has a 'range' that is not two numbers, such as 0 and 1");
  return out;
}

std::optional<metrics::Score> own_empty_rule(const Json& rule, const EmptyCase& is,
                                             const OwnDeclaration& of) {
  if (rule.is_number()) return rule.get<double>();
  if (rule.is_null() || rule == is_undefined) return is.reason;
  if (rule != is_computed)
    refuse_own(of,
               "has a rule for empty masks that is neither a number nor 'undefined' nor 'call'");
  return std::nullopt;
}

metrics::EmptyRule own_empty_rules(const Json& json, const OwnDeclaration& of) {
  metrics::EmptyRule out = of.empty;
  const Json& rules = member(json, "empty");
  if (rules.is_null()) return out;
  if (!rules.is_object())
    refuse_own(of, "has an 'empty' without rules for both, reference and prediction");
  for (const auto& [key, rule] : rules.items()) {
    const auto* const is = std::ranges::find_if(
        empty_cases, [&, &name = key](const EmptyCase& each) { return name == each.key; });
    if (is == std::end(empty_cases))
      refuse_own(of, "has a rule for empty masks called '" + excerpt(key) +
                         "'; there are both, reference and prediction");
    out.*(is->rule) = own_empty_rule(rule, *is, of);
  }
  return out;
}

void require_known_members(const Json& json, const OwnDeclaration& of) {
  constexpr std::array<std::string_view, 4> others = {"better", "range", "empty", "failure"};
  for (const auto& item : json.items()) {
    const bool is_text =
        std::ranges::any_of(own_texts, [&](const auto& each) { return item.key() == each.first; });
    if (!is_text && std::ranges::find(others, item.key()) == others.end())
      refuse_own(of, "has a member '" + excerpt(item.key()) + "' that assay does not know");
  }
}

}  // namespace

Json own_metric_json(const OwnDeclaration& declared) {
  Json out = Json::object();
  for (const auto& [key, text] : own_texts) out[key] = declared.*text;
  out["better"] = metrics::name(declared.better);
  out["range"] = {own_limit_json(declared.range.low), own_limit_json(declared.range.high)};
  for (const EmptyCase& each : empty_cases)
    out["empty"][each.key] = own_empty_json(declared.empty.*each.rule);
  out["failure"] = or_null(declared.failure);
  return out;
}

OwnDeclaration parse_own_metric(const Json& json) {
  OwnDeclaration out;
  if (!json.is_object()) refuse_own(out, "is declared by its name and direction, at least");
  out.name = own_text(json, "name", out);
  require_known_members(json, out);
  for (const auto& [key, text] : own_texts) out.*text = own_text(json, key, out);
  out.better = own_direction(json, out);
  out.range = own_range(json, out);
  out.empty = own_empty_rules(json, out);
  if (const Json& failure = member(json, "failure"); !failure.is_null()) {
    if (!failure.is_number()) refuse_own(out, "has a 'failure' that is not a number");
    out.failure = failure.get<double>();
  }
  return out;
}

Json own_metrics_json(const std::vector<metrics::ChosenMetric>& chosen) {
  Json out = Json::array();
  for (const metrics::ChosenMetric& each : chosen)
    if (each.own) out.push_back(own_metric_json(each.own->declared));
  return out;
}

std::optional<metrics::ChosenMetric> metric_among(const OwnMetrics& own, std::string_view key) {
  const auto found = std::ranges::find(
      own, key, [](const auto& each) { return std::string_view(each->declared.name); });
  return found == own.end() ? metrics::metric_of_key(key)
                            : std::optional(metrics::chosen_metric(*found));
}

}  // namespace assay::results
