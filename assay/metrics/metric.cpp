// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/metric.hpp"

#include <algorithm>

#include "assay/core/error.hpp"
#include "assay/core/nearest.hpp"

namespace assay {
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

  Score operator()(CountFormula f) const { return f(evidence.counts); }
  Score operator()(ParameterFormula f) const { return f(evidence.counts, parameters); }
  Score operator()(VolumeFormula f) const { return f(evidence.counts, evidence.voxel_ml); }
};

/// A name that stands for several metrics: a list, or the rows that a test picks.
struct Group {
  std::string_view name;
  std::string_view list;
  bool (*holds)(const Metric&);
};

constexpr Group groups[] = {
    {"paper", "dice,avd,mcc,dice_macro", nullptr},
    {"overlap", "", [](const Metric& m) { return m.group == "overlap"; }},
    {"all", "", [](const Metric&) { return true; }},
};

/// The parts of a comma-separated list; an empty list has one empty part.
std::vector<std::string_view> parts(std::string_view list) {
  std::vector<std::string_view> out;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    out.push_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  return out;
}

/// What one name of a list stands for.
std::vector<const Metric*> expanded(std::string_view name) {
  std::vector<const Metric*> out;
  const auto group = std::ranges::find(groups, name, &Group::name);
  if (group == std::end(groups)) return {&metric(name)};
  if (group->holds == nullptr)
    for (const auto part : parts(group->list)) out.push_back(&metric(part));
  else
    for (const Metric& m : metrics())
      if (group->holds(m)) out.push_back(&m);
  return out;
}

constexpr EmptyRule reference_needed = {.both = Undefined::both_empty,
                                        .reference = Undefined::reference_empty};

constexpr Convention::Override spec_overrides[] = {
    {.metric = "avd", .empty = {.reference = infinity}},
    {.metric = "mcc", .empty = {}, .otherwise = 0.0},
};
constexpr Convention::Override monai_overrides[] = {
    {.metric = "dice", .empty = reference_needed},
    {.metric = "iou", .empty = reference_needed},
};
constexpr Convention::Override nnunet_overrides[] = {
    {.metric = "dice", .empty = {.both = Undefined::both_empty}},
    {.metric = "iou", .empty = {.both = Undefined::both_empty}},
};

constexpr Convention table_of_conventions[] = {
    {.name = "metrics-reloaded",
     .summary =
         "Metrics Reloaded; Dice and IoU of two empty masks are 1, undefined stays undefined"},
    {.name = "spec",
     .summary =
         "the specification: Dice smoothed by 1e-6, undefined MCC 0, AVD without reference inf",
     .dice_smooth = 1e-6,
     .overrides = spec_overrides},
    {.name = "monai",
     .summary = "MONAI's defaults: Dice and IoU are undefined where the reference is empty",
     .overrides = monai_overrides},
    {.name = "nnunet",
     .summary = "nnU-Net: Dice and IoU are undefined where both masks are empty",
     .overrides = nnunet_overrides},
};

/// The row of that name, or an error that says what there is.
template <class Rows>
const auto& row(const Rows& rows, std::string_view wanted, const std::string& kind,
                const std::string& listed_by) {
  const auto found = std::ranges::find_if(rows, [&](const auto& r) { return r.name == wanted; });
  if (found != std::ranges::end(rows)) return *found;
  const auto name_of = [](const auto& r) { return r.name; };
  throw Error(Error::Kind::usage, "there is no " + kind + " '" + std::string(wanted) + "'" +
                                      did_you_mean(wanted, rows, name_of) + listed_by);
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
    for (const auto family : {detail::overlap_metrics, detail::volume_metrics})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return all;
}

const Metric& metric(std::string_view name) {
  return row(metrics(), name, "metric", " ('assay metrics' lists them)");
}

std::vector<const Metric*> chosen_metrics(std::string_view list) {
  std::vector<const Metric*> out;
  for (const auto part : parts(list))
    for (const Metric* m : expanded(part))
      if (std::ranges::find(out, m) == out.end()) out.push_back(m);
  return out;
}

std::vector<std::string_view> metric_groups() {
  std::vector<std::string_view> names;
  for (const Group& group : groups) names.push_back(group.name);
  return names;
}

std::span<const Convention> conventions() {
  return table_of_conventions;
}

const Convention& convention(std::string_view name) {
  std::string known;
  for (const Convention& c : conventions())
    known += (known.empty() ? " (known: " : ", ") + std::string(c.name);
  return row(conventions(), name, "convention", known + ")");
}

Score score(const Metric& metric, const Evidence& evidence, const Parameters& parameters,
            const Convention& convention) {
  const auto found =
      std::ranges::find(convention.overrides, metric.name, &Convention::Override::metric);
  const auto* exception = found == convention.overrides.end() ? nullptr : &*found;

  std::optional<Score> ruled;
  if (exception != nullptr) ruled = on_empty(exception->empty, evidence.counts);
  if (!ruled) ruled = on_empty(metric.empty, evidence.counts);
  const Score result = ruled ? *ruled : std::visit(Apply{evidence, parameters}, metric.formula);
  if (exception != nullptr && exception->otherwise && !value(result)) return *exception->otherwise;
  return result;
}

}  // namespace assay
