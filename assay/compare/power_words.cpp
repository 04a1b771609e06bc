// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/power_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/stats/power.hpp"

namespace assay::compare {
namespace {

using Size = std::optional<std::size_t>;

std::string size_with_unit(double value, const ComparedMetric& metric) {
  const std::string_view unit = unit_of(metric);
  return fmt::format("{:.3g}{}{}", value, unit.empty() ? "" : " ", unit);
}

/// 0.8 as "80 %".
std::string percent(double share) {
  return fmt::format("{:.4g} %", 100 * share);
}

std::string size_words(const PowerStudy& study, const Size& size) {
  return size ? counted(*size, pair_word(study))
              : fmt::format("no number of {}s", pair_word(study));
}

/// "34 pairs for a power of 80 %, 44 pairs for 90 %".
std::string powers(const PowerStudy& study, const PowerPlan& plan) {
  std::vector<std::string> parts;
  for (const PlannedSize& size : plan.sizes)
    parts.push_back(fmt::format("{} for {}{}", size_words(study, size.pairs),
                                parts.empty() ? "a power of " : "", percent(size.power)));
  return joined(parts);
}

std::string signed_rank_words(const PowerPlan& plan) {
  std::vector<std::string> found;
  for (const PlannedSize& size : plan.sizes)
    if (size.signed_rank)
      found.push_back(fmt::format("{} for {}", *size.signed_rank, percent(size.power)));
  if (found.empty()) return "";
  return fmt::format(" The signed-rank test, by which compare decides, needs about {}.",
                     joined(found));
}

/// Says where the simulation ended without an answer.
std::string failure_words(const PowerStudy& study, const PowerPlan& plan) {
  const auto missed = std::ranges::find_if(
      plan.sizes, [](const PlannedSize& size) { return size.pairs && !size.signed_rank; });
  if (!plan.is_simulated || missed == plan.sizes.end()) return "";
  if (*missed->pairs > stats::most_simulated || !plan.is_own_difference)
    return fmt::format(" The signed-rank test is not simulated above {} {}s.",
                       stats::most_simulated, pair_word(study));
  return fmt::format(
      " The signed-rank test, by which compare decides, does not reach {} in the simulation with "
      "any number of {}s that was tried. The mean depends on a few cases, and the test weighs the "
      "others.",
      percent(missed->power), pair_word(study));
}

std::string limits_words(const PowerStudy& study, const PowerPlan& plan) {
  if (!plan.is_own_difference) return "";
  const PlannedSize& size = plan.sizes.front();
  const stats::Interval& mean = plan.pilot.mean;
  const bool is_positive = mean.estimate > 0;
  const std::string interval =
      fmt::format("{} to {}", plain_number(mean.lower), plain_number(mean.upper));
  if (!size.nearer)
    return fmt::format(
        " The difference is the pilot's own. Its 95 % interval, {}, includes 0, so any number of "
        "{}s may be too small; at the limit further from 0, {} suffice for a power of {}.",
        interval, pair_word(study), size_words(study, size.further), percent(size.power));
  return fmt::format(
      " The difference is the pilot's own. For a power of {}, the limits of its 95 % interval need "
      "{} (if it is {}) and {} (if it is {}).",
      percent(size.power), size_words(study, size.further),
      plain_number(is_positive ? mean.upper : mean.lower), size_words(study, size.nearer),
      plain_number(is_positive ? mean.lower : mean.upper));
}

template <class Property>
bool has(const PowerStudy& study, const Property& property) {
  return std::ranges::any_of(study.plans, property);
}

bool has_own_difference(const PowerStudy& s) {
  return has(s, [](const PowerPlan& p) { return p.is_own_difference; });
}

bool has_assumed_correlation(const PowerStudy& s) {
  return has(s, [](const PowerPlan& p) { return p.assumed_correlation.has_value(); });
}

bool has_several_models(const PowerStudy& s) {
  return s.models > 1;
}

bool has_clusters(const PowerStudy& s) {
  return !s.settings.cluster.empty();
}

bool has_margin(const PowerStudy& s) {
  return has(s, [](const PowerPlan& p) { return p.margin.has_value(); });
}

bool has_simulation(const PowerStudy& s) {
  return has(s, [](const PowerPlan& p) { return p.is_simulated; });
}

bool lacks_simulation(const PowerStudy& s) {
  return has(s,
             [](const PowerPlan& p) { return !p.margin && !p.model.empty() && !p.is_simulated; });
}

/// Whether the t test needs fewer pairs than the signed-rank test needs to reject at all.
bool is_below_possible(const PowerStudy& s) {
  return has(s, [&](const PowerPlan& p) {
    return !p.margin && std::ranges::any_of(p.sizes, [&](const PlannedSize& size) {
      return size.pairs && static_cast<double>(*size.pairs) < s.least_possible;
    });
  });
}

bool always(const PowerStudy&) {
  return true;
}

std::string own_difference_words(const PowerStudy&) {
  return "A pilot's own difference is uncertain, and too large if it was the reason to go on. Plan "
         "with --difference, the smallest difference that matters.";
}

std::string correlation_words(const PowerStudy&) {
  return "One model does not show how closely another follows it. The SD of the paired differences "
         "is taken to be SD × sqrt(2 (1 − correlation)), with the same SD for both models.";
}

std::string models_words(const PowerStudy& s) {
  return fmt::format(
      "Alpha is {:g} / {} = {:.3g} for each model: the first step of Holm's correction for {} "
      "models.",
      s.settings.alpha, s.models, s.alpha_per_test, s.models);
}

std::string cluster_words(const PowerStudy& s) {
  const Pilot& pilot = s.plans.front().pilot;
  return fmt::format(
      "A cluster is all cases with the same '{}'; they are averaged first, as compare does. Cases "
      "are counted with {:.3g} in each cluster, as in the pilot (design effect {:.3g}).",
      s.settings.cluster, static_cast<double>(pilot.cases) / static_cast<double>(pilot.n),
      pilot.design_effect.value_or(1));
}

std::string margin_words(const PowerStudy&) {
  return "Equivalence is planned for the mean difference, by two one-sided t tests. compare also "
         "allows for skewness and requires the pseudo-median to be within the margin, which may "
         "need more.";
}

std::string simulated_words(const PowerStudy& s) {
  const bool has_given =
      has(s, [](const PowerPlan& p) { return p.is_simulated && !p.is_own_difference; });
  return fmt::format(
      "compare decides by the signed-rank test. Its numbers are simulated: {} studies are drawn "
      "from the pilot's differences{}.",
      s.settings.simulations,
      has_given ? ", made symmetrical about the difference that is to be detected" : "");
}

std::string unsimulated_words(const PowerStudy&) {
  return "Fewer than 10 differences do not show the shape of their distribution, so the "
         "signed-rank test was not simulated. It "
         "needs about 5 % more than the t test if differences are normal.";
}

std::string possible_words(const PowerStudy& s) {
  return fmt::format(
      "With fewer than {:.0f} {}s the signed-rank test cannot reach alpha {:.3g}, whatever the "
      "data.",
      s.least_possible, pair_word(s), s.alpha_per_test);
}

std::string larger_sd_words(const PowerStudy&) {
  return "The larger SD is the upper limit of its one-sided 80 % interval (Browne 1995): the SD of "
         "a pilot is too small as often as it is too large.";
}

/// A remark, and when it applies.
struct Remark {
  bool (*applies)(const PowerStudy&);
  std::string (*text)(const PowerStudy&);
};

constexpr Remark remarks[] = {
    {has_own_difference, own_difference_words},
    {has_assumed_correlation, correlation_words},
    {has_several_models, models_words},
    {has_clusters, cluster_words},
    {has_margin, margin_words},
    {has_simulation, simulated_words},
    {lacks_simulation, unsimulated_words},
    {is_below_possible, possible_words},
    {always, larger_sd_words},
};

}  // namespace

std::string_view pair_word(const PowerStudy& study) {
  return study.settings.cluster.empty() ? "pair" : "cluster";
}

std::string heading(const PowerPlan& plan) {
  return fmt::format("{}: {} against {}", words(plan.metric),
                     plan.model.empty() ? "another model" : plan.model, plan.baseline);
}

std::string purpose(const PowerStudy& study, const PowerPlan& plan) {
  if (!plan.margin)
    return fmt::format("to detect a mean difference of {} (two-sided, alpha {:.3g})",
                       size_with_unit(plan.difference, plan.metric), study.alpha_per_test);
  return fmt::format(
      "to show equivalence within ±{} if the true mean difference is {} (alpha {:.3g})",
      size_with_unit(*plan.margin, plan.metric), size_with_unit(plan.difference, plan.metric),
      study.alpha_per_test);
}

std::string sentence(const PowerStudy& study, const PowerPlan& plan) {
  std::string out =
      fmt::format("{}: {} {}, by {}", heading(plan), powers(study, plan), purpose(study, plan),
                  plan.margin ? "two one-sided paired t tests" : "the paired t test");
  if (plan.assumed_correlation)
    out += fmt::format(", if the models' values have a correlation of {:g}",
                       *plan.assumed_correlation);
  return out + "." + signed_rank_words(plan) + remark(study, plan);
}

std::string remark(const PowerStudy& study, const PowerPlan& plan) {
  return failure_words(study, plan) + limits_words(study, plan);
}

std::vector<std::string> assumptions(const PowerStudy& study) {
  std::vector<std::string> out;
  for (const Remark& remark : remarks)
    if (remark.applies(study)) out.push_back(remark.text(study));
  return out;
}

}  // namespace assay::compare
