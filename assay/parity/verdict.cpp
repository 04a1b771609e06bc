// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/parity.hpp"

namespace assay::parity {
namespace {

constexpr std::array levels = {
    Named<ParityLevel>{"strict", ParityLevel::strict},
    Named<ParityLevel>{"acceptable", ParityLevel::acceptable},
    Named<ParityLevel>{"minimum", ParityLevel::minimum},
    Named<ParityLevel>{"failed", ParityLevel::failed},
    Named<ParityLevel>{"not_assessable", ParityLevel::not_assessable},
};

/// How one metric is judged. `sign` +1: higher is better, -1: lower is.
struct Rule {
  double sign, tolerance, acceptable;
  std::optional<double> minimum{};
};

MetricDetail detail_of(std::optional<double> achieved, const std::optional<PaperValue>& paper,
                       const Rule& rule, double slack) {
  MetricDetail d = {.achieved = achieved};
  if (!paper) return d;  // the paper does not report it, so there is nothing to judge
  d.paper = paper->mean;
  if (!achieved) return d;
  const double x = *achieved;
  const auto at_least = [&](double bound) {
    return rule.sign > 0 ? x >= bound - slack : x <= bound + slack;
  };
  d.diff = x - paper->mean;
  d.pct_diff = 100 * *d.diff / paper->mean;
  d.within_tolerance = std::fabs(*d.diff) <= rule.tolerance + slack;
  d.acceptable = at_least(rule.acceptable);
  if (rule.minimum) d.minimum = at_least(*rule.minimum);
  d.meets_or_exceeds = at_least(paper->mean);
  if (paper->std) d.within_paper_sd = std::fabs(*d.diff) <= *paper->std + slack;
  return d;
}

ParityLevel level_of(const ParityDetails& d) {
  std::vector<const MetricDetail*> judged;
  for (const MetricDetail* metric : {&d.dice, &d.avd, &d.mcc})
    if (metric->paper) judged.push_back(metric);
  const auto all = [&](std::optional<bool> MetricDetail::*flag) {
    return std::ranges::all_of(judged, [&](const auto* m) { return (m->*flag).value_or(false); });
  };
  if (std::ranges::any_of(judged, [](const auto* m) { return !m->achieved; }))
    return ParityLevel::not_assessable;
  if (all(&MetricDetail::within_tolerance)) {
    if (!d.dice_std.acceptable) return ParityLevel::not_assessable;
    if (*d.dice_std.acceptable) return ParityLevel::strict;
  }
  if (all(&MetricDetail::acceptable)) return ParityLevel::acceptable;
  return d.dice.minimum.value_or(false) ? ParityLevel::minimum : ParityLevel::failed;
}

std::optional<bool> meets_or_exceeds(const ParityDetails& d) {
  bool every = true;
  for (const MetricDetail* metric : {&d.dice, &d.avd, &d.mcc}) {
    if (!metric->paper) continue;
    if (!metric->meets_or_exceeds) return std::nullopt;
    every = every && *metric->meets_or_exceeds;
  }
  return every;
}

}  // namespace

std::string_view name(ParityLevel level) {
  return name_in(std::span<const Named<ParityLevel>>(levels), level);
}

ParityLevel parity_level(std::string_view name) {
  return value_in(std::span<const Named<ParityLevel>>(levels).first(3), name, "level of parity");
}

bool reaches(ParityLevel level, ParityLevel required) {
  return level <= required;  // declared from best to worst
}

ParityResult parity_of(const ParityValues& values, const PaperModel& paper,
                       const ParityLimits& limits, double slack) {
  ParityDetails details = {
      .dice = detail_of(values.dice, paper.dice,
                        {+1, limits.dice_tolerance, limits.acceptable_dice, limits.minimum_dice},
                        slack),
      .dice_std = {.achieved = values.dice_std, .paper = paper.dice.std},
      .avd = detail_of(values.avd, paper.avd, {-1, limits.avd_tolerance, limits.acceptable_avd},
                       slack),
      .mcc = detail_of(values.mcc, paper.mcc, {+1, limits.mcc_tolerance, limits.acceptable_mcc},
                       slack)};
  if (values.dice_std) details.dice_std.acceptable = *values.dice_std <= limits.dice_std + slack;
  return {.model = paper.key,
          .dice_mean = values.dice,
          .dice_std = values.dice_std,
          .avd_mean = values.avd,
          .mcc_mean = values.mcc,
          .parity_level = level_of(details),
          .details = details,
          .meets_or_exceeds = meets_or_exceeds(details)};
}

}  // namespace assay::parity
