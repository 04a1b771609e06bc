// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/families.hpp"
#include "assay/compare/models.hpp"
#include "assay/error.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/folds.hpp"

namespace assay::compare {
namespace {

constexpr std::size_t most_subgroups = 12;  // a column with more values is not a grouping

/// Everything that the metrics of one comparison share.
struct Scene {
  const CompareSettings& settings;
  std::span<const ResultTable> tables;
  const Matching& matching;
  std::size_t baseline;
  std::vector<std::size_t> clusters;  ///< of each matched case; empty: none
  TrainingFolds folds{};
};

std::optional<double> margin_of(const CompareSettings& settings, const std::string& metric) {
  for (const auto& [name, margin] : settings.margins)
    if (metrics::names_metric(name, metric)) return margin;
  return settings.margin;
}

stats::ComparisonOptions options_of(const CompareSettings& settings, const ComparedMetric& metric) {
  stats::ComparisonOptions options = {.alpha = settings.alpha, .policy = settings.policy};
  options.correction = settings.correction;
  options.margin = margin_of(settings, metric.name);
  options.lower_is_better =
      metric.better == metrics::Better::lower || metric.better == metrics::Better::zero;
  options.allclose_is_equal = settings.compat_spec;
  options.tie_tolerance = settings.tie_tolerance;
  return options;
}

/// The scores of two models on the cases where both have one.
struct Pairs {
  std::vector<double> reference, model;
  std::vector<std::size_t> clusters;
};

Pairs defined_pairs(const ValueTable& values, std::size_t baseline, std::size_t model,
                    const std::vector<std::size_t>& clusters) {
  Pairs pairs;
  for (std::size_t i = 0; i < values[model].size(); ++i) {
    if (!values[baseline][i] || !values[model][i]) continue;
    pairs.reference.push_back(*values[baseline][i]);
    pairs.model.push_back(*values[model][i]);
    if (!clusters.empty()) pairs.clusters.push_back(clusters[i]);
  }
  return pairs;
}

PairComparison compared_pair(const Scene& scene, const ValueTable& values, std::size_t model,
                             const stats::ComparisonOptions& options) {
  Pairs pairs = defined_pairs(values, scene.baseline, model, scene.clusters);
  PairComparison pair;
  pair.undefined = values[model].size() - pairs.model.size();
  pair.result.model_name = scene.tables[model].model_name;
  if (pairs.model.empty()) return pair;
  stats::ComparisonOptions with_clusters = options;
  with_clusters.clusters = pairs.clusters;
  pair.result = stats::compare_pair(
      pairs.reference, {pair.result.model_name, std::move(pairs.model)}, with_clusters);
  pair.n = pair.result.test.n;
  return pair;
}

metrics::Summary summary_of(const std::vector<std::optional<double>>& values,
                            const ComparedMetric& metric, std::span<const std::size_t> clusters) {
  std::vector<metrics::Score> scores;
  scores.reserve(values.size());
  for (const auto& value : values)
    scores.push_back(value ? metrics::Score(*value)
                           : metrics::Score(metrics::Undefined::not_scored));
  metrics::SummaryRules rules = metrics::summary_rules(metric_of(metric));
  rules.clusters = clusters;
  return metrics::summary(scores, rules);
}

/// Failures of cases in clusters are not independent, so they are counted but not tested.
FailureTest failure_test(const Scene& scene, const ComparedValues& values, std::size_t model) {
  FailureTest out;
  for (std::size_t i = 0; i < values.failed[model].size(); ++i) {
    const bool ours = values.failed[model][i], theirs = values.failed[scene.baseline][i];
    out.model += ours ? 1 : 0;
    out.baseline += theirs ? 1 : 0;
    out.only_model += ours && !theirs ? 1 : 0;
    out.only_baseline += theirs && !ours ? 1 : 0;
  }
  out.p_value = out.corrected_p_value =
      scene.clusters.empty() ? stats::mcnemar(out.only_model, out.only_baseline).pvalue
                             : std::nan("");
  return out;
}

/// Corrects as one family all models whose failures differ from the baseline's.
void correct_failures(std::vector<PairComparison>& pairs, const CompareSettings& settings) {
  std::vector<FailureTest*> family;
  std::vector<double> pvalues;
  for (PairComparison& pair : pairs) {
    FailureTest& test = pair.failures;
    if (!test.differs() || std::isnan(test.p_value)) continue;
    family.push_back(&test);
    pvalues.push_back(test.p_value);
  }
  const stats::Adjusted adjusted = stats::adjust(pvalues, settings.correction, settings.alpha);
  for (std::size_t k = 0; k < family.size(); ++k) {
    family[k]->corrected_p_value = adjusted.pvalues[k];
    family[k]->family = family.size();
  }
}

/// Corrects as one family all models that were compared over folds.
void correct_algorithms(std::vector<PairComparison>& pairs, const CompareSettings& settings) {
  std::vector<AlgorithmTest*> family;
  for (PairComparison& pair : pairs)
    if (pair.algorithms) family.push_back(&*pair.algorithms);
  correct_algorithms(family, settings.correction, settings.alpha);
}

/// Compares in one metric, without correction and ranking.
MetricComparison compared_metric(const Scene& scene, const ComparedMetric& metric,
                                 ComparedValues values) {
  MetricComparison result = {.metric = metric, .margin = margin_of(scene.settings, metric.name)};
  for (const auto& row : values.values)
    result.models.push_back(summary_of(row, metric, scene.clusters));
  const stats::ComparisonOptions options = options_of(scene.settings, metric);
  ValueTable magnitudes = values.values;
  if (is_by_magnitude(metric))
    for (auto& row : magnitudes)
      for (auto& value : row)
        if (value) value = std::fabs(*value);
  for (std::size_t m = 0; m < scene.tables.size(); ++m) {
    if (m == scene.baseline) continue;
    result.pairs.push_back(compared_pair(scene, magnitudes, m, options));
    result.pairs.back().failures = failure_test(scene, values, m);
    if (scene.folds.count != 0)
      result.pairs.back().algorithms = algorithm_test(scene.folds, magnitudes[scene.baseline],
                                                      magnitudes[m], 1 - scene.settings.alpha);
  }
  correct_failures(result.pairs, scene.settings);
  result.values = std::move(values);
  return result;
}

Ranking ranked(const Scene& scene, const ComparedMetric& metric, const ValueTable& values) {
  if (metric.better == metrics::Better::neither) return {};
  const ValueTable gains = as_gain(values, metric.better);
  std::vector<std::vector<double>> complete(gains.size());
  std::vector<std::size_t> clusters;
  for (std::size_t i = 0; i < gains.front().size(); ++i) {
    if (!std::ranges::all_of(gains, [&](const auto& row) { return row[i].has_value(); })) continue;
    for (std::size_t m = 0; m < gains.size(); ++m) complete[m].push_back(*gains[m][i]);
    if (!scene.clusters.empty()) clusters.push_back(scene.clusters[i]);
  }
  return ranking(complete, {.replicates = scene.settings.replicates,
                            .seed = scene.settings.seed,
                            .alpha = scene.settings.alpha,
                            .tie_tolerance = scene.settings.tie_tolerance,
                            .executor = scene.settings.executor,
                            .clusters = clusters});
}

std::vector<MetricComparison> compared_metrics(const Scene& scene,
                                               std::span<const ComparedMetric> metrics) {
  std::vector<MetricComparison> results;
  for (const ComparedMetric& metric : metrics) {
    MetricComparison& result = results.emplace_back(compared_metric(
        scene, metric,
        compared_values(scene.tables, scene.matching, metric, scene.settings.undefined)));
    std::vector<PairComparison*> family;
    for (PairComparison& pair : result.pairs) family.push_back(&pair);
    correct_pairs(family, options_of(scene.settings, metric));
    correct_algorithms(result.pairs, scene.settings);
    result.ranking = ranked(scene, metric, result.values.values);
  }
  return results;
}

/// The matched cases that have one value of a group column.
Matching part_of(const Matching& whole, const std::vector<std::size_t>& members) {
  Matching part;
  part.places.resize(whole.places.size());
  for (const std::size_t i : members) {
    part.ids.push_back(whole.ids[i]);
    for (std::size_t m = 0; m < part.places.size(); ++m)
      part.places[m].push_back(whole.places[m][i]);
  }
  return part;
}

std::vector<Subgroup> subgroups_by(const Scene& scene, std::span<const MetricComparison> metrics,
                                   const std::string& column) {
  std::map<std::string, std::vector<std::size_t>> members;
  const auto texts = group_values(scene.tables, scene.matching, column);
  for (std::size_t i = 0; i < texts.size(); ++i) members[texts[i]].push_back(i);
  std::vector<Subgroup> subgroups;
  for (const auto& [value, cases] : members) {
    const Matching part = part_of(scene.matching, cases);
    Scene inner = {scene.settings, scene.tables, part, scene.baseline, {}};
    if (!scene.clusters.empty())
      for (const std::size_t i : cases) inner.clusters.push_back(scene.clusters[i]);
    Subgroup& subgroup = subgroups.emplace_back(Subgroup{column, value, cases.size(), {}});
    for (const MetricComparison& whole : metrics)
      subgroup.metrics.push_back(
          compared_metric(inner, whole.metric, part_of(whole.values, cases)));
  }
  correct_subgroups(subgroups, scene.settings);
  return subgroups;
}

/// Whether a column has several values that several cases share.
bool is_grouping(const std::vector<std::string>& texts) {
  std::map<std::string_view, std::size_t> counts;
  for (const std::string& text : texts) ++counts[text];
  return counts.size() > 1 && counts.size() <= most_subgroups && counts.size() * 2 <= texts.size();
}

std::vector<std::string> subgroup_columns(const Scene& scene) {
  if (scene.settings.subgroups) return *scene.settings.subgroups;
  std::vector<std::string> chosen;
  for (const std::string& column : group_columns(scene.tables))
    if (column != scene.settings.cluster && !is_fold_column(column) && !is_subject_column(column) &&
        is_grouping(group_values(scene.tables, scene.matching, column)))
      chosen.push_back(column);
  return chosen;
}

/// Adds a note that tests over pooled folds take the trained models as given.
void add_fold_note(const Scene& scene, std::vector<std::string>& notes) {
  std::vector<std::string> columns = scene.settings.folds;
  if (columns.empty())
    for (const std::string& column : group_columns(scene.tables))
      if (is_fold_column(column)) columns.push_back(column);
  if (columns.empty()) return;
  notes.push_back("the cases were tested in folds ('" + columns.front() +
                  "'), so tests and intervals over cases are about these trained models, not about "
                  "the algorithms that trained them" +
                  (scene.settings.folds.empty()
                       ? "; assay compare --folds " + columns.front() + " compares the algorithms"
                       : ""));
}

/// Adds a note that cases of one subject are not independent; without --cluster they are tested as
/// if they were.
void add_subject_note(const Scene& scene, std::vector<std::string>& notes) {
  if (!scene.settings.cluster.empty()) return;
  for (const std::string& column : group_columns(scene.tables)) {
    if (!is_subject_column(column)) continue;
    const auto values = group_values(scene.tables, scene.matching, column);
    const std::set<std::string> subjects(values.begin(), values.end());
    if (subjects.contains("") || subjects.size() == values.size()) continue;
    notes.push_back(fmt::format(
        "the {0} come from {1} ('{2}') but are tested as independent, so p-values may be too small "
        "and intervals too narrow; assay compare --cluster {2} takes this into account",
        counted(values.size(), "case"), counted(subjects.size(), "subject"), column));
    return;
  }
}

void add_subgroups(Comparison& comparison, const Scene& scene, const std::string& column) {
  for (Subgroup& subgroup : subgroups_by(scene, comparison.metrics, column))
    comparison.subgroups.push_back(std::move(subgroup));
  const auto values = group_values(scene.tables, scene.matching, column);
  auto found = interactions(comparison, column, values, scene.clusters);
  std::ranges::move(found, std::back_inserter(comparison.interactions));
}

void require(const CompareSettings& settings) {
  if (!(settings.alpha > 0 && settings.alpha < 1))
    throw Error(Error::Kind::usage, "--alpha must be between 0 and 1, such as 0.05");
  if (!(settings.tie_tolerance >= 0 && std::isfinite(settings.tie_tolerance)))
    throw Error(Error::Kind::usage, "--tie-tolerance must be 0 or more, such as 1e-9");
  if (settings.replicates == 0 || settings.replicates > 1000000)
    throw Error(Error::Kind::usage, "--replicates must be between 1 and 1000000");
  std::vector<double> margins;
  for (const auto& each : settings.margins) margins.push_back(each.second);
  if (settings.margin) margins.push_back(*settings.margin);
  for (const double margin : margins)
    if (!(margin > 0 && std::isfinite(margin)))
      throw Error(Error::Kind::usage, "--margin must be above 0, such as 0.01");
}

/// A margin for a metric that is not compared would be ignored silently.
void require_margins_used(CompareSettings& settings, std::span<const ComparedMetric> metrics) {
  for (auto& each : settings.margins) {
    std::vector<std::string> names;
    for (const ComparedMetric& metric : metrics)
      if (names.empty() || names.back() != metric.name) names.push_back(metric.name);
    const auto is_compared = [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    if (!is_compared(each.first)) each.first = metrics::metric_key(each.first).value_or(each.first);
    if (!is_compared(each.first))
      throw Error(Error::Kind::usage, "--margin: '" + each.first + "' is not compared" +
                                          did_you_mean(each.first, names) + " (compared: " +
                                          joined(names) + "); choose metrics with --metric");
  }
}

/// "a (1) and b (2)": which models are affected, and in how many cases.
std::string told_by_model(const Comparison& comparison, std::span<const std::size_t> counts) {
  std::vector<std::string> parts;
  for (std::size_t m = 0; m < counts.size(); ++m)
    if (counts[m] != 0)
      parts.push_back(comparison.models[m].name + " (" + std::to_string(counts[m]) + ")");
  return joined(parts);
}

void add_value_notes(Comparison& comparison, const MetricComparison& metric) {
  const ComparedValues& values = metric.values;
  const std::size_t left_out = metric.pairs.front().undefined;
  if (left_out != 0)
    comparison.notes.push_back(words(metric.metric) + ": " + counted(left_out, "case") + " of " +
                               std::to_string(comparison.matching.ids.size()) +
                               " left out for all models, because there is no value for " +
                               told_by_model(comparison, values.without));
  if (values.guess)
    comparison.notes.push_back(
        words(metric.metric) + ": the files do not say what failures count as; those of " +
        told_by_model(comparison, values.guessed) + " count as the worst value of any model");
}

/// Adds a note on the failures that --undefined exclude hides.
void add_hidden_failures(Comparison& comparison, const MetricComparison& metric) {
  std::vector<std::size_t> failures;
  for (const auto& row : metric.values.failed)
    failures.push_back(static_cast<std::size_t>(std::ranges::count(row, true)));
  if (std::ranges::all_of(failures, [](std::size_t n) { return n == 0; })) return;
  comparison.notes.push_back(words(metric.metric) +
                             ": --undefined exclude hides the cases in which a model failed: " +
                             told_by_model(comparison, failures));
}

void add_pair_notes(Comparison& comparison) {
  for (const MetricComparison& metric : comparison.metrics) {
    add_value_notes(comparison, metric);
    if (comparison.settings.undefined == UndefinedPolicy::exclude)
      add_hidden_failures(comparison, metric);
    for (const PairComparison& pair : metric.pairs) {
      const std::string where = words(metric.metric) + ", " + pair.result.model_name + ": ";
      if (pair.n == 0)
        comparison.notes.push_back(where + "nothing to compare");
      else if (!pair.result.test.warning.empty())
        comparison.notes.push_back(where + pair.result.test.warning);
    }
  }
}

}  // namespace

Comparison compare(std::vector<ResultTable> tables, const CompareSettings& settings) {
  require(settings);
  Comparison comparison = {.settings = settings};
  std::vector<std::string>& notes = comparison.notes;
  tables = named_apart(std::move(tables), notes);
  use_entity_ids(tables);
  comparison.baseline = baseline_among(tables, settings.baseline);
  if (settings.choice.labels.empty()) require_same_averages(tables, notes);
  const auto metrics = metrics_to_compare(tables, settings.choice, notes);
  require_margins_used(comparison.settings, metrics);
  for (const ResultTable& table : tables)
    comparison.models.push_back({table.model_name, table.source, table.cases});
  if (settings.undefined == UndefinedPolicy::worst && !settings.matching.by_position)
    for (ResultTable& table : tables) table = with_lost_cases(std::move(table));
  comparison.matching = matched_cases(tables, settings.matching);
  notes.insert(notes.end(), comparison.matching.notes.begin(), comparison.matching.notes.end());

  Scene scene = {comparison.settings, tables, comparison.matching, comparison.baseline, {}};
  if (!settings.cluster.empty()) {
    scene.clusters =
        stats::coded_names(group_values(tables, comparison.matching, settings.cluster));
    notes.push_back("cases are averaged within each '" + settings.cluster + "' before testing");
  }
  if (!settings.folds.empty())
    scene.folds = training_folds(tables, comparison.matching, settings.folds);
  add_fold_note(scene, notes);
  add_subject_note(scene, notes);
  comparison.metrics = compared_metrics(scene, metrics);
  if (settings.across_metrics) correct_across_metrics(comparison, scene.clusters);
  for (const std::string& column : subgroup_columns(scene))
    add_subgroups(comparison, scene, column);
  add_pair_notes(comparison);
  return comparison;
}

}  // namespace assay::compare
