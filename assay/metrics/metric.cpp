// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/metric_families.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/own_metric.hpp"

namespace assay::metrics {
namespace {

std::optional<Score> on_empty(const EmptyRule& rule, const Confusion& counts) {
  switch (presence(counts)) {
    case Presence::both_empty: return rule.both;
    case Presence::reference_empty: return rule.reference;
    case Presence::prediction_empty: return rule.prediction;
    case Presence::ok: return std::nullopt;
  }
  return std::nullopt;
}

struct Apply {
  const Evidence& evidence;
  const Parameters& parameters;
  const SurfaceRules& surface;
  double argument;
  const std::string& key;

  Score operator()(CountFormula f) const { return f(evidence.counts); }
  Score operator()(ParameterFormula f) const { return f(evidence.counts, parameters); }
  Score operator()(VolumeFormula f) const { return f(evidence.counts, evidence.voxel_ml); }
  Score operator()(BoundaryFormula f) const {
    if (!evidence.boundary) return Undefined::not_scored;  // not asked for when the case was read
    return f(*evidence.boundary, surface, argument);
  }
  Score operator()(LesionFormula f) const {
    return evidence.lesions ? f(*evidence.lesions) : Undefined::not_scored;
  }
  Score operator()(ProbabilityFormula f) const {
    if (evidence.probability) return f(*evidence.probability);
    // A label that occurs only in other cases was not examined in this one.
    return presence(evidence.counts) == Presence::both_empty ? Undefined::both_empty
                                                             : Undefined::not_probabilities;
  }
  Score operator()(OwnFormula) const {
    const Presence found = presence(evidence.counts);
    if (evidence.own)
      if (const auto value = evidence.own->find(key); value != evidence.own->end())
        return score_of(value->second, found);
    return found == Presence::both_empty ? Undefined::both_empty : Undefined::not_scored;
  }
};

/// A name for several metrics: a list, or the rows that a test picks.
struct Group {
  std::string_view name;
  std::string_view list;
  bool (*holds)(const Metric&);
};

constexpr Group groups[] = {
    {default_group, "dice,nsd,hd95,avd,mcc", nullptr},
    {"paper", "dice,avd,mcc,dice_macro", nullptr},
    {"overlap", "", [](const Metric& m) { return m.group == "overlap"; }},
    {"boundary", "", [](const Metric& m) { return m.group == "boundary"; }},
    {"lesion", "", [](const Metric& m) { return m.group == "lesion"; }},
    {"probability", "", [](const Metric& m) { return m.group == "probability"; }},
    {"all", "", [](const Metric&) { return true; }},
};

ChosenMetric as_asked(const Metric& metric) {
  return {&metric, std::string(metric.name), metric.argument};
}

std::optional<double> number(std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(x) ? std::optional(x) : std::nullopt;
}

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

/// Metrics with an argument in their key: the text around it, and the row that takes it.
struct Family {
  std::string_view name, before, after, row;
  bool zero;  ///< whether the argument may be 0
  double most;

  std::string key(std::string_view argument) const {
    return std::string(before).append(argument).append(after);
  }
};

constexpr Family families[] = {
    {"hd", "hd", "", "hd95", false, 100},
    {"nsd", "nsd@", "mm", "nsd", true, 1e6},
    {"nsd", "nsd@", "px", "nsd", true, 1e6},  // of pictures without a pixel size
};

std::optional<ChosenMetric> member(const Family& family, std::string_view key) {
  if (!key.starts_with(family.before) || !key.ends_with(family.after)) return std::nullopt;
  if (key.size() <= family.before.size() + family.after.size()) return std::nullopt;
  key.remove_prefix(family.before.size());
  key.remove_suffix(family.after.size());
  const auto argument = number(key);
  if (!argument || std::signbit(*argument) || *argument > family.most) return std::nullopt;
  if (*argument == 0 && !family.zero) return std::nullopt;
  return ChosenMetric{&metric(family.row), family.key(shortest(*argument)), *argument};
}

/// NSD at every tolerance; the first has the plain name.
std::vector<ChosenMetric> at_tolerances(const Metric& nsd, std::span<const double> tolerances_mm) {
  std::vector<ChosenMetric> out;
  for (const double tolerance : tolerances_mm)
    out.push_back({&nsd,
                   out.empty() ? std::string(nsd.name) : *key_with(nsd.name, shortest(tolerance)),
                   tolerance});
  return out;
}

std::vector<ChosenMetric> of_row(const Metric& metric, std::span<const double> tolerances_mm) {
  if (metric.name == "nsd" && !tolerances_mm.empty()) return at_tolerances(metric, tolerances_mm);
  return {as_asked(metric)};
}

Error unknown_metric(std::string_view name) {
  std::vector<std::string> known;
  for (const Metric& m : metrics()) known.emplace_back(m.name);
  std::string text = "there is no metric '" + std::string(name) + "'" + metric_hint(name, known);
  return {Error::Kind::usage, text + " ('assay metrics' lists them)"};
}

/// The metrics that one name of a list means.
std::vector<ChosenMetric> expanded(std::string_view name, std::span<const double> tolerances_mm) {
  const auto group = std::ranges::find(groups, plain(name), &Group::name);
  if (group == std::end(groups)) {
    const auto key = metric_key(name);
    if (!key) throw unknown_metric(name);
    const ChosenMetric found = *metric_of_key(*key);
    if (found.key != found.metric->name) return {found};
    return of_row(*found.metric, tolerances_mm);
  }
  std::vector<ChosenMetric> out;
  const auto add = [&](const Metric& m) {
    for (ChosenMetric& each : of_row(m, tolerances_mm)) {
      each.if_present = group->name == "all" && m.needs_probability();
      out.push_back(std::move(each));
    }
  };
  if (group->holds == nullptr)
    for (const auto part : parts_of(group->list, ',')) add(metric(part));
  else
    for (const Metric& m : metrics())
      if (group->holds(m)) add(m);
  return out;
}

}  // namespace

std::string_view name(Better better) {
  switch (better) {
    case Better::higher: return "higher";
    case Better::lower: return "lower";
    case Better::zero: return "zero";
    case Better::neither: return "neither";
  }
  return "";
}

std::span<const Metric> metrics() {
  static const auto all = [] {
    std::vector<Metric> rows;
    for (const auto family :
         {overlap_metrics, volume_metrics, boundary_metrics, lesion_metrics, probability_metrics})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return all;
}

const Metric& metric(std::string_view name) {
  const auto found = std::ranges::find(metrics(), name, &Metric::name);
  if (found == metrics().end()) throw unknown_metric(name);
  return *found;
}

/// "dice of WT" is Dice, too, since reports on several labels name their columns like this.
std::optional<ChosenMetric> metric_of_key(std::string_view key) {
  const auto found = std::ranges::find(metrics(), key, &Metric::name);
  if (found != metrics().end()) return as_asked(*found);
  for (const Family& family : families)
    if (auto chosen = member(family, key)) return chosen;
  const std::size_t of_label = key.find(" of ");
  if (of_label == std::string_view::npos) return std::nullopt;
  auto chosen = metric_of_key(key.substr(0, of_label));
  if (chosen) chosen->key = key;
  return chosen;
}

std::optional<std::string> key_with(std::string_view name, std::string_view argument) {
  const auto* const family = std::ranges::find(families, name, &Family::name);
  return family == std::end(families) ? std::nullopt : std::optional(family->key(argument));
}

std::vector<ChosenMetric> chosen_metrics(std::string_view list,
                                         std::span<const double> tolerances_mm,
                                         std::span<const std::shared_ptr<const OwnMetric>> own) {
  std::vector<ChosenMetric> out;
  const auto add = [&](ChosenMetric&& m) {
    const auto known = std::ranges::find(out, m.key, &ChosenMetric::key);
    if (known == out.end())
      out.push_back(std::move(m));
    else
      known->if_present = known->if_present && m.if_present;
  };
  for (const auto part : parts_of(list, ',')) {
    const auto declared = std::ranges::find(
        own, part, [](const auto& one) { return std::string_view(one->declared.name); });
    if (declared != own.end())
      add(chosen_metric(*declared));
    else
      for (ChosenMetric& m : expanded(part, tolerances_mm)) add(std::move(m));
  }
  for (const auto& each : own) add(chosen_metric(each));
  return out;
}

std::vector<std::string_view> metric_groups() {
  std::vector<std::string_view> names;
  for (const Group& group : groups) names.push_back(group.name);
  return names;
}

bool asks_for(std::string_view list, std::string_view group) {
  const auto names = parts_of(list, ',');
  return std::ranges::find(names, group) != names.end();
}

const Convention& convention(std::string_view name) {
  const auto found = std::ranges::find(conventions(), name, &Convention::name);
  if (found != conventions().end()) return *found;
  std::string known;
  for (const Convention& c : conventions())
    known += (known.empty() ? " (known: " : ", ") + std::string(c.name);
  throw Error(Error::Kind::usage, "there is no convention '" + std::string(name) + "'" +
                                      did_you_mean(name, conventions(), &Convention::name) + known +
                                      ")");
}

bool Convention::covers(const Metric& metric) const {
  return covered.empty() || std::ranges::find(covered, metric.name) != covered.end();
}

std::vector<std::string> not_covered(const Convention& convention,
                                     std::span<const ChosenMetric> metrics) {
  std::vector<std::string> out;
  for (const ChosenMetric& each : metrics)
    if (!convention.covers(*each)) out.push_back(each.key);
  return out;
}

Score score(const Metric& metric, const Evidence& evidence, const Parameters& parameters,
            const Convention& convention) {
  return score(as_asked(metric), evidence, parameters, convention);
}

Score score(const ChosenMetric& metric, const Evidence& evidence, const Parameters& parameters,
            const Convention& convention) {
  const auto found =
      std::ranges::find(convention.overrides, metric->name, &Convention::Override::metric);
  const auto* exception = found == convention.overrides.end() ? nullptr : &*found;
  if (evidence.is_uncut_map && !metric->needs_probability()) return Undefined::not_a_mask;

  if (exception != nullptr)
    if (const auto ruled = on_empty(exception->empty, evidence.counts)) return *ruled;
  const std::optional<Score> ruled = on_empty(metric->empty, evidence.counts);
  const Apply apply = {evidence, parameters, convention.surface, metric.argument, metric.key};
  const Score result = ruled ? *ruled : std::visit(apply, metric->formula);
  if (exception != nullptr && exception->otherwise && !value(result)) return *exception->otherwise;
  return result;
}

}  // namespace assay::metrics
