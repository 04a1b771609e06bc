// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/families.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/statistics.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/kruskal_wallis.hpp"
#include "assay/stats/max_t.hpp"

namespace assay::compare {
namespace {

/// The differences of one model from the baseline by unit: a case, or a cluster's mean.
struct UnitDifferences {
  std::vector<std::size_t> units{};  ///< case or cluster code
  std::vector<std::size_t> first{};  ///< one of the matched cases of each unit
  std::vector<double> values{};
};

UnitDifferences unit_differences(const MetricComparison& metric, std::size_t model,
                                 std::size_t baseline, std::span<const std::size_t> clusters) {
  const bool by_magnitude = is_by_magnitude(metric.metric);
  std::vector<double> reference, scores;
  std::vector<std::size_t> cases, codes;
  for (std::size_t i = 0; i < metric.values.values[model].size(); ++i) {
    const auto& theirs = metric.values.values[baseline][i];
    const auto& ours = metric.values.values[model][i];
    if (!theirs || !ours) continue;
    reference.push_back(by_magnitude ? std::fabs(*theirs) : *theirs);
    scores.push_back(by_magnitude ? std::fabs(*ours) : *ours);
    cases.push_back(i);
    if (!clusters.empty()) codes.push_back(clusters[i]);
  }
  UnitDifferences out = {.values = stats::tested_differences(reference, scores, codes)};
  if (clusters.empty()) {
    out.units = out.first = cases;
    return out;
  }
  for (const auto& members : stats::cluster_members(codes)) {
    out.units.push_back(codes[members.front()]);
    out.first.push_back(cases[members.front()]);
  }
  return out;
}

/// The signed ranks of the differences that are not zero, by unit; 0 elsewhere.
std::vector<double> signed_rank_scores(const UnitDifferences& differences, std::size_t units,
                                       double tolerance) {
  std::vector<double> magnitudes;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < differences.values.size(); ++k)
    if (std::fabs(differences.values[k]) > tolerance) {
      magnitudes.push_back(std::fabs(differences.values[k]));
      places.push_back(k);
    }
  const std::vector<double> ranks = stats::mid_ranks(magnitudes).ranks;
  std::vector<double> out(units);
  for (std::size_t k = 0; k < places.size(); ++k)
    out[differences.units[places[k]]] = std::copysign(ranks[k], differences.values[places[k]]);
  return out;
}

/// The max-T statistic when every sign is the same: no data of this size can exceed it.
double largest_statistic(std::span<const double> scores) {
  double sum = 0, squares = 0;
  for (const double score : scores) {
    sum += std::fabs(score);
    squares += score * score;
  }
  return squares == 0 ? 0 : sum / std::sqrt(squares);
}

/// The models that a metric compares with the baseline, in the order of its pairs.
std::size_t model_of(std::size_t pair, std::size_t baseline) {
  return pair + (pair >= baseline ? 1 : 0);
}

/// One hypothesis of the family of all metrics.
struct Hypothesis {
  PairComparison* pair;
  UnitDifferences differences;
};

std::vector<Hypothesis> hypotheses_of(Comparison& comparison,
                                      std::span<const std::size_t> clusters) {
  std::vector<Hypothesis> out;
  for (MetricComparison& metric : comparison.metrics)
    for (std::size_t k = 0; k < metric.pairs.size(); ++k)
      if (metric.pairs[k].n != 0)
        out.push_back({&metric.pairs[k], unit_differences(metric, model_of(k, comparison.baseline),
                                                          comparison.baseline, clusters)});
  return out;
}

stats::Interval simultaneous_interval(const UnitDifferences& differences, double critical,
                                      double tolerance) {
  std::vector<double> differing;
  for (const double d : differences.values)
    if (std::fabs(d) > tolerance) differing.push_back(d);
  stats::Interval out =
      stats::hodges_lehmann_within(differing.empty() ? differences.values : differing, critical);
  if (differing.size() < stats::least_pairs) out.lower = out.upper = std::nan("");
  return out;
}

/// Whether a cluster lies in several groups, so that its mean belongs to none.
bool splits_a_cluster(std::span<const std::string> values, std::span<const std::size_t> clusters) {
  for (const auto& members : stats::cluster_members(clusters))
    for (const std::size_t i : members)
      if (values[i] != values[members.front()]) return true;
  return false;
}

}  // namespace

void correct_pairs(std::span<PairComparison* const> family,
                   const stats::ComparisonOptions& options) {
  std::vector<stats::ComparisonResult> results;
  for (const PairComparison* pair : family)
    if (pair->n != 0) results.push_back(pair->result);
  stats::correct_family(results, options);
  std::size_t next = 0;
  for (PairComparison* pair : family)
    if (pair->n != 0) pair->result = results[next++];
}

void correct_across_metrics(Comparison& comparison, std::span<const std::size_t> clusters) {
  const CompareSettings& settings = comparison.settings;
  const std::vector<Hypothesis> all = hypotheses_of(comparison, clusters);
  const std::size_t units =
      clusters.empty() ? comparison.matching.ids.size() : std::ranges::max(clusters) + 1;
  std::vector<std::vector<double>> scores;
  scores.reserve(all.size());
  for (const Hypothesis& one : all)
    scores.push_back(signed_rank_scores(one.differences, units, settings.tie_tolerance));
  const stats::MaxT found = stats::max_t(
      scores, {.alpha = settings.alpha, .seed = settings.seed, .executor = settings.executor});
  std::vector<stats::ComparisonResult> results;
  for (std::size_t h = 0; h < all.size(); ++h) {
    stats::ComparisonResult& r = results.emplace_back(all[h].pair->result);
    r.corrected_p_value = found.single_step[h];
    r.is_significant = r.corrected_p_value <= settings.alpha && r.test.n >= stats::least_pairs;
    r.family = all.size();
    r.is_hopeless = !r.is_significant && largest_statistic(scores[h]) * (1 + 1e-9) < found.critical;
    r.simultaneous =
        simultaneous_interval(all[h].differences, found.critical, settings.tie_tolerance);
  }
  stats::correct_margins(results, {.alpha = settings.alpha, .correction = settings.correction});
  for (std::size_t h = 0; h < all.size(); ++h) all[h].pair->result = results[h];
}

void correct_subgroups(std::span<Subgroup> subgroups, const CompareSettings& settings) {
  for (std::size_t k = 0; k < subgroups.front().metrics.size(); ++k) {
    std::vector<PairComparison*> family;
    for (Subgroup& subgroup : subgroups)
      for (PairComparison& pair : subgroup.metrics[k].pairs) family.push_back(&pair);
    correct_pairs(family, {.alpha = settings.alpha, .correction = settings.correction});
  }
}

std::vector<Interaction> interactions(const Comparison& comparison, const std::string& column,
                                      std::span<const std::string> values,
                                      std::span<const std::size_t> clusters) {
  std::vector<Interaction> out;
  if (splits_a_cluster(values, clusters)) return out;
  for (std::size_t k = 0; k < comparison.metrics.size(); ++k) {
    const MetricComparison& metric = comparison.metrics[k];
    std::vector<double> pvalues;
    for (std::size_t p = 0; p < metric.pairs.size(); ++p) {
      const UnitDifferences found =
          unit_differences(metric, model_of(p, comparison.baseline), comparison.baseline, clusters);
      std::map<std::string, std::vector<double>> by_group;
      for (std::size_t i = 0; i < found.values.size(); ++i)
        by_group[values[found.first[i]]].push_back(found.values[i]);
      std::vector<std::vector<double>> groups;
      groups.reserve(by_group.size());
      for (auto& [value, members] : by_group) groups.push_back(std::move(members));
      const stats::KruskalWallis test = stats::kruskal_wallis(groups);
      out.push_back({.column = column,
                     .metric = k,
                     .model_name = metric.pairs[p].result.model_name,
                     .h = test.h,
                     .df = test.df,
                     .p_value = test.pvalue,
                     .corrected_p_value = test.pvalue});
      pvalues.push_back(test.pvalue);
    }
    const stats::Adjusted adjusted =
        stats::adjust(pvalues, comparison.settings.correction, comparison.settings.alpha);
    for (std::size_t p = 0; p < pvalues.size(); ++p)
      out[out.size() - pvalues.size() + p].corrected_p_value = adjusted.pvalues[p];
  }
  return out;
}

}  // namespace assay::compare
