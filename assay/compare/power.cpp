// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/power.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/compare/models.hpp"
#include "assay/error.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/folds.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/power.hpp"

namespace assay::compare {
namespace {

constexpr std::size_t least_simulated = 10;  // fewer differences do not show the shape

/// Everything that the metrics of one plan share.
struct PilotScene {
  std::span<const ResultTable> tables;
  std::size_t baseline = 0;
  std::vector<std::size_t> clusters{};  ///< of each matched case; empty: none
};

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Error::Kind::usage, why);
}

void require(const PowerSettings& s) {
  if (!(s.alpha > 0 && s.alpha < 1)) refuse("--alpha must lie between 0 and 1, such as 0.05");
  for (const double power : s.powers)
    if (!(power > s.alpha && power < 1))
      refuse("--power must lie between alpha and 1, such as 0.8");
  if (s.correlation && !(*s.correlation > -1 && *s.correlation < 1))
    refuse("--correlation must lie between -1 and 1, such as 0.8");
  if (s.models > 10000) refuse("--models must be 10000 or less");
  std::vector<double> numbers = {s.margin.all.value_or(1)};
  for (const auto& each : s.margin.each) numbers.push_back(each.second);
  for (const double margin : numbers)
    if (!(margin > 0 && std::isfinite(margin))) refuse("--margin must be above 0, such as 0.01");
}

void require_question(const PowerSettings& s, const ResultTable& only) {
  if (s.difference.empty() && s.margin.empty())
    refuse(only.source +
           ": holds one model, which shows no difference; give --difference D or --margin M, or "
           "add the results of another model");
  if (!s.baseline.empty()) refuse("--baseline needs the results of two models or more");
}

/// A number for a metric that is not planned would be ignored silently.
void require_used(const MetricNumbers& numbers, const char* option,
                  std::span<const ComparedMetric> metrics) {
  std::vector<std::string> names;
  for (const ComparedMetric& metric : metrics) names.push_back(metric.name);
  for (const auto& each : numbers.each)
    if (std::ranges::none_of(names,
                             [&](const auto& n) { return metrics::names_metric(each.first, n); }))
      refuse(std::string(option) + ": '" + each.first + "' is not planned for" +
             did_you_mean(each.first, names) + " (planned: " + joined(names) +
             "); choose metrics with --metric");
}

/// The values of one model on the cases where every model has one, as `compare` takes them.
std::vector<double> defined(const ComparedValues& values, std::size_t model,
                            const ComparedMetric& metric) {
  std::vector<double> out;
  for (const auto& value : values.values[model])
    if (value) out.push_back(is_by_magnitude(metric) ? std::fabs(*value) : *value);
  return out;
}

std::vector<std::size_t> defined_clusters(const PilotScene& scene, const ComparedValues& values) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < scene.clusters.size(); ++i)
    if (values.values[scene.baseline][i]) out.push_back(scene.clusters[i]);
  return out;
}

/// Failures of a model among its values.
std::size_t counted_failures(const ComparedValues& values, std::size_t model) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.values[model].size(); ++i)
    if (values.failed[model][i] && values.values[model][i]) ++count;
  return count;
}

/// One value per cluster, or the values themselves.
std::vector<double> independent(std::span<const double> values,
                                std::span<const std::size_t> clusters) {
  if (clusters.empty()) return {values.begin(), values.end()};
  return stats::cluster_means(values, clusters);
}

/// Independent values of a pilot, and what they average.
struct Sample {
  std::vector<double> values{};
  Pilot pilot{};
};

[[noreturn]] void refuse_size(std::size_t n, const std::string& what, std::string_view unit) {
  throw Error(Error::Kind::input, what + ": the pilot has " + counted(n, unit) +
                                      "; planning needs the spread of at least " +
                                      std::to_string(stats::least_pairs));
}

Sample sample_of(std::span<const double> values, std::span<const std::size_t> clusters,
                 const std::string& what, std::string_view unit) {
  Sample out = {.values = independent(values, clusters)};
  Pilot& pilot = out.pilot;
  pilot.n = out.values.size();
  pilot.cases = values.size();
  if (pilot.n < stats::least_pairs) refuse_size(pilot.n, what, unit);
  const double sd = stats::standard_deviation(out.values, 1);
  if (!(sd > 0))
    throw Error(Error::Kind::input, what +
                                        ": all values of the pilot are equal; without a spread "
                                        "there is nothing to plan with");
  const auto n = static_cast<double>(pilot.n);
  pilot.mean = stats::mean_interval(out.values);
  pilot.sd = stats::sd_interval(sd, n);
  pilot.cautious_sd = stats::cautious_sd(sd, n);
  if (!clusters.empty())
    pilot.design_effect = stats::clustered_mean(values, clusters).design_effect;
  return out;
}

/// The correlation of two models, from the SD of their values and of their differences.
double correlation_of(std::span<const double> a, std::span<const double> b, double sd) {
  const double x = stats::standard_deviation(a, 1), y = stats::standard_deviation(b, 1);
  return (x * x + y * y - sd * sd) / (2 * x * y);
}

/// How many pairs the t tests need for a true difference.
std::optional<std::size_t> pairs_by_t(const PowerPlan& plan, double difference, double sd,
                                      const stats::PowerTarget& target) {
  if (plan.margin)
    return stats::pairs_for_equivalence(
        {.margin = *plan.margin, .difference = difference, .sd = sd}, target);
  return stats::pairs_for_difference(difference, sd, target);
}

void add_limits(const PowerPlan& plan, const stats::PowerTarget& target, PlannedSize& size) {
  const stats::Interval& mean = plan.pilot.mean;
  const bool has_zero = mean.lower <= 0 && mean.upper >= 0;
  const double a = std::fabs(mean.lower), b = std::fabs(mean.upper);
  if (!has_zero) size.nearer = stats::pairs_for_difference(std::min(a, b), plan.sd, target);
  size.further = stats::pairs_for_difference(std::max(a, b), plan.sd, target);
}

/// The differences that studies are drawn from: the pilot's own if its difference is the question,
/// otherwise their shape about another difference.
std::vector<double> study_differences(std::span<const double> pilot, const PowerPlan& plan) {
  if (plan.is_own_difference) return {pilot.begin(), pilot.end()};
  return stats::shifted_shape(pilot, plan.difference);
}

void add_sizes(const PowerStudy& study, std::span<const double> differences, PowerPlan& plan) {
  std::vector<double> drawn_from;
  if (plan.is_simulated) drawn_from = study_differences(differences, plan);
  const PowerSettings& s = study.settings;
  const stats::SimulatedStudies simulated = {.differences = drawn_from,
                                             .alpha = study.alpha_per_test,
                                             .studies = s.simulations,
                                             .seed = s.seed,
                                             .executor = s.executor};
  for (const double power : s.powers) {
    const stats::PowerTarget target = {.power = power, .alpha = study.alpha_per_test};
    PlannedSize& size = plan.sizes.emplace_back(PlannedSize{.power = power});
    size.pairs = pairs_by_t(plan, plan.difference, plan.sd, target);
    size.cautious = pairs_by_t(plan, plan.difference, plan.cautious_sd, target);
    if (plan.is_own_difference) add_limits(plan, target, size);
    const bool may_be_reached =
        plan.sizes.size() == 1 || plan.sizes[0].signed_rank || power < plan.sizes[0].power;
    if (plan.is_simulated && size.pairs && may_be_reached)
      size.signed_rank = stats::signed_rank_pairs(simulated, power, *size.pairs);
  }
}

/// The difference and the margin that are asked about.
void add_question(const PowerSettings& s, PowerPlan& plan) {
  plan.margin = s.margin.of(plan.metric.name);
  const auto asked = s.difference.of(plan.metric.name);
  const bool has_two = !plan.model.empty();
  if (!asked && !plan.margin && !has_two)
    refuse(words(plan.metric) + ": give its difference or margin, such as --difference " +
           plan.metric.name + "=0.02");
  plan.is_own_difference = has_two && !asked && !plan.margin;
  plan.difference = asked.value_or(plan.is_own_difference ? plan.pilot.mean.estimate : 0);
  if (plan.margin && std::fabs(plan.difference) >= *plan.margin)
    refuse(
        "a true difference that is not within the margin cannot be shown to be; give a "
        "--difference closer to 0 than --margin");
  if (!plan.margin && plan.difference == 0)
    refuse(
        "a difference of 0 cannot be detected; give another --difference, or --margin to show "
        "equivalence");
}

std::string_view unit_word(const PowerSettings& s, bool has_two) {
  return !s.cluster.empty() ? "cluster" : has_two ? "pair" : "case";
}

std::string plan_words(const PowerPlan& plan) {
  return words(plan.metric) + ", " + plan.model + " against " + plan.baseline;
}

void plan_pair(PowerStudy& study, const PilotScene& scene, const ComparedMetric& metric,
               const ComparedValues& values, std::size_t model) {
  const auto base = defined(values, scene.baseline, metric), own = defined(values, model, metric);
  const auto clusters = defined_clusters(scene, values);
  PowerPlan plan = {.metric = metric,
                    .model = scene.tables[model].model_name,
                    .baseline = scene.tables[scene.baseline].model_name};
  if (own.size() != base.size()) refuse_size(0, plan_words(plan), unit_word(study.settings, true));
  const Sample sample = sample_of(stats::differences(own, base), clusters, plan_words(plan),
                                  unit_word(study.settings, true));
  plan.pilot = sample.pilot;
  plan.pilot.failures = counted_failures(values, scene.baseline) + counted_failures(values, model);
  plan.pilot.correlation = correlation_of(independent(own, clusters), independent(base, clusters),
                                          plan.pilot.sd.estimate);
  plan.sd = plan.pilot.sd.estimate;
  plan.cautious_sd = plan.pilot.cautious_sd;
  add_question(study.settings, plan);
  plan.is_simulated = !plan.margin && plan.pilot.n >= least_simulated;
  add_sizes(study, sample.values, plan);
  study.plans.push_back(std::move(plan));
}

void plan_one(PowerStudy& study, const PilotScene& scene, const ComparedMetric& metric,
              const ComparedValues& values) {
  PowerPlan plan = {.metric = metric, .baseline = scene.tables[0].model_name};
  plan.pilot = sample_of(defined(values, 0, metric), defined_clusters(scene, values), words(metric),
                         unit_word(study.settings, false))
                   .pilot;
  plan.pilot.failures = counted_failures(values, 0);
  add_question(study.settings, plan);
  std::vector<double> assumed(std::begin(usual_correlations), std::end(usual_correlations));
  if (study.settings.correlation) assumed = {*study.settings.correlation};
  for (const double correlation : assumed) {
    PowerPlan& each = study.plans.emplace_back(plan);
    const double scale = std::sqrt(2 * (1 - correlation));
    each.assumed_correlation = correlation;
    each.sd = plan.pilot.sd.estimate * scale;
    each.cautious_sd = plan.pilot.cautious_sd * scale;
    add_sizes(study, {}, each);
  }
}

void add_value_notes(PowerStudy& study, const ComparedMetric& metric,
                     const ComparedValues& values) {
  const auto& row = values.values.front();
  const auto is_absent = [](const auto& value) { return !value.has_value(); };
  const auto left_out = static_cast<std::size_t>(std::ranges::count_if(row, is_absent));
  if (left_out != 0)
    study.notes.push_back(words(metric) + ": " + counted(left_out, "case") + " of " +
                          std::to_string(row.size()) +
                          " left out, because some model has no value");
  std::size_t failures = 0;
  for (const auto& failed : values.failed)
    failures += static_cast<std::size_t>(std::ranges::count(failed, true));
  if (failures != 0 && study.settings.undefined == UndefinedPolicy::exclude)
    study.notes.push_back(words(metric) + ": --undefined exclude hides " +
                          counted(failures, "failure") + " of models, which widen the spread");
}

/// Without a choice, one metric is planned for: the primary outcome of a study.
std::vector<ComparedMetric> planned_metrics(std::span<const ResultTable> tables,
                                            const PowerSettings& s,
                                            std::vector<std::string>& notes) {
  MetricChoice choice = s.choice;
  if (choice.asked.empty()) {
    const std::vector<std::string> labels = {choice.first_label()};
    const auto usual = default_metrics(tables, labels);
    if (!usual.empty()) choice.asked = {usual.front()};
  }
  auto metrics = metrics_to_compare(tables, choice, notes);
  require_used(s.difference, "--difference", metrics);
  require_used(s.margin, "--margin", metrics);
  return metrics;
}

/// The tables as `compare` would take them, or the only one.
std::vector<ResultTable> pilot_tables(std::vector<ResultTable> tables, const PowerSettings& s,
                                      std::vector<std::string>& notes) {
  if (tables.empty()) refuse("give the results of a pilot: assay power pilot.json --difference D");
  if (tables.size() == 1) {
    require_question(s, tables.front());
    return tables;
  }
  if (s.correlation)
    refuse("--correlation is for the results of one model; the results of two models show it");
  tables = named_apart(std::move(tables), notes);
  use_entity_ids(tables);
  if (s.choice.labels.empty()) require_same_averages(tables, notes);
  return tables;
}

/// One model needs no ids, since there is nothing to match.
Matching matched_pilot(std::vector<ResultTable>& tables, const PowerSettings& s) {
  MatchOptions options = s.matching;
  if (tables.size() == 1 && tables.front().ids.empty()) options.by_position = true;
  if (s.undefined == UndefinedPolicy::worst && !options.by_position)
    for (ResultTable& table : tables) table = with_lost_cases(std::move(table));
  return matched_cases(tables, options);
}

void settle_models(PowerStudy& study, std::size_t tables) {
  study.models =
      study.settings.models != 0 ? study.settings.models : std::max<std::size_t>(tables, 2) - 1;
  study.alpha_per_test = study.settings.alpha / static_cast<double>(study.models);
  study.least_possible = std::max(std::ceil(std::log2(2 / study.alpha_per_test) - 1e-12),
                                  static_cast<double>(stats::least_pairs));
}

}  // namespace

std::optional<double> MetricNumbers::of(const std::string& metric) const {
  for (const auto& [name, number] : each)
    if (metrics::names_metric(name, metric)) return number;
  return all;
}

std::size_t cases_for(const PowerPlan& plan, std::size_t pairs) {
  const double each = static_cast<double>(plan.pilot.cases) / static_cast<double>(plan.pilot.n);
  return static_cast<std::size_t>(std::ceil(static_cast<double>(pairs) * each - 1e-9));
}

PowerStudy plan_study(std::vector<ResultTable> tables, const PowerSettings& settings) {
  require(settings);
  PowerStudy study = {.settings = settings};
  tables = pilot_tables(std::move(tables), settings, study.notes);
  const bool has_two = tables.size() > 1;
  PilotScene scene = {.tables = tables};
  if (has_two) scene.baseline = baseline_among(tables, settings.baseline);
  const auto metrics = planned_metrics(tables, settings, study.notes);
  study.matching = matched_pilot(tables, settings);
  const auto& said = study.matching.notes;
  study.notes.insert(study.notes.end(), said.begin(), said.end());
  if (!settings.cluster.empty())
    scene.clusters = stats::coded_names(group_values(tables, study.matching, settings.cluster));
  for (const ResultTable& table : tables) study.names.push_back(table.model_name);
  settle_models(study, tables.size());
  for (const ComparedMetric& metric : metrics) {
    const auto values = compared_values(tables, study.matching, metric, settings.undefined);
    add_value_notes(study, metric, values);
    if (!has_two) plan_one(study, scene, metric, values);
    for (std::size_t m = 0; m < tables.size() && has_two; ++m)
      if (m != scene.baseline) plan_pair(study, scene, metric, values, m);
  }
  return study;
}

}  // namespace assay::compare
