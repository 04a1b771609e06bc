// SPDX-License-Identifier: Apache-2.0
#include "assay/own_metric.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/metrics/synonyms.hpp"

namespace assay::metrics {
namespace {

constexpr std::size_t longest_own_name = 64;

/// Words that results and tables use for something else.
constexpr std::array<std::string_view, 14> taken_words = {
    "status", "undefined", "evidence", "lesions", "probability", "messages",   "model",
    "case",   "id",        "label",    "metric",  "value",       "model_name", "groups"};

std::string shown_number(double x) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= longest_own_name && is_letter(name.front()) &&
         std::ranges::all_of(
             name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

void require_own(bool is_right, const std::string& sentence) {
  if (!is_right) throw Error(Error::Kind::usage, sentence);
}

void require_name(const std::string& name) {
  require_own(is_plain_name(name),
              "'" + excerpt(name) +
                  "' cannot be the name of a metric; use small letters, digits and underscores, "
                  "such as volume_ratio");
  const auto known = metric_key(name);
  require_own(!known, "'" + name + "' is a metric of assay" +
                          (known && *known != name ? " (" + *known + ")" : "") +
                          "; give your metric another name");
  const auto names_of_groups = metric_groups();
  require_own(std::ranges::find(names_of_groups, name) == names_of_groups.end(),
              "'" + name + "' is a group of metrics; give your metric another name");
  require_own(std::ranges::find(taken_words, name) == taken_words.end(),
              "'" + name + "' has another meaning in results; give your metric another name");
}

void require_rules(const OwnDeclaration& d) {
  require_own(d.range.low < d.range.high, "the metric '" + d.name +
                                              "' has an empty range; give the lowest and the "
                                              "highest value that it can have");
  const auto is_inside = [&](double x) {
    return std::isfinite(x) && x >= d.range.low && x <= d.range.high;
  };
  for (const auto& rule : {d.empty.both, d.empty.reference, d.empty.prediction})
    if (const auto x = rule ? value(*rule) : std::nullopt)
      require_own(is_inside(*x), "the metric '" + d.name + "' has the value " + shown_number(*x) +
                                     " for empty masks, which is outside its range");
  const bool counts =
      !d.failure || is_inside(*d.failure) || (d.better == Better::zero && is_inside(-*d.failure));
  require_own(counts,
              "the metric '" + d.name + "' counts a failure as a number that is outside its range");
}

/// The worse end of the range. For a metric that is best at zero it is the larger magnitude.
std::optional<double> worst_value(const OwnDeclaration& d) {
  const double worst = d.better == Better::higher  ? d.range.low
                       : d.better == Better::lower ? d.range.high
                       : d.better == Better::zero
                           ? std::max(std::fabs(d.range.low), std::fabs(d.range.high))
                           : infinity;
  return std::isfinite(worst) ? std::optional(worst) : std::nullopt;
}

Metric row_of(const OwnDeclaration& d) {
  return {.name = d.name,
          .title = d.title,
          .group = "own",
          .equation = d.equation,
          .unit = d.unit,
          .better = d.better,
          .range = d.range,
          .empty = d.empty,
          .failure = d.failure,
          .note = d.note,
          .reference = d.reference,
          .formula = OwnFormula{}};
}

OwnValue failed_value(const std::string& message) {
  return {.failed = true, .message = message.empty() ? "it failed without a message" : message};
}

OwnValue checked_value(OwnValue found, const Range& range) {
  if (!found.value) return found;
  const double x = *found.value;
  if (!std::isfinite(x))
    return failed_value("it gave " + shown_number(x) + ", which is not finite");
  if (x < range.low || x > range.high)
    return failed_value("it gave " + shown_number(x) + ", which is outside its range of " +
                        shown_number(range.low) + " to " + shown_number(range.high));
  return found;
}

}  // namespace

OwnMetric::OwnMetric(OwnDeclaration given, OwnMeasure by)
    : declared(std::move(given)), row(row_of(declared)), measure(std::move(by)) {}

std::shared_ptr<const OwnMetric> own_metric(OwnDeclaration declared, OwnMeasure measure) {
  require_name(declared.name);
  require_rules(declared);
  if (declared.title.empty()) declared.title = declared.name;
  if (declared.equation.empty()) declared.equation = "own " + declared.kind;
  if (!declared.failure) declared.failure = worst_value(declared);
  return std::make_shared<const OwnMetric>(std::move(declared), std::move(measure));
}

ChosenMetric chosen_metric(std::shared_ptr<const OwnMetric> own) {
  ChosenMetric out = {.metric = &own->row, .key = own->declared.name};
  out.own = std::move(own);
  return out;
}

bool are_alike(const OwnDeclaration& a, const OwnDeclaration& b) {
  return a.better == b.better && a.unit == b.unit && a.range.low == b.range.low &&
         a.range.high == b.range.high && a.empty.both == b.empty.both &&
         a.empty.reference == b.empty.reference && a.empty.prediction == b.empty.prediction &&
         a.failure == b.failure;
}

OwnValue measure_value(const OwnMetric& metric, const LabelMasks& masks) try {
  if (!metric.measure) return failed_value("nothing is there to compute it");
  return checked_value(metric.measure(masks), metric.declared.range);
} catch (const std::exception& e) {
  return failed_value(e.what());
}

Score score_of(const OwnValue& value, Presence presence) {
  if (value.failed) return Undefined::own_metric_failed;
  if (value.value) return *value.value;
  switch (presence) {
    case Presence::both_empty: return Undefined::both_empty;
    case Presence::reference_empty: return Undefined::reference_empty;
    case Presence::prediction_empty: return Undefined::prediction_empty;
    case Presence::ok: break;
  }
  return Undefined::own_metric_undefined;
}

}  // namespace assay::metrics
