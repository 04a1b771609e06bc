// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/moments.hpp"

namespace assay::stats {

namespace {

/// A significant difference that does not matter is still equivalent; a large p-value alone proves
/// nothing.
Verdict settled(const ComparisonResult& result) {
  if (result.test.n < least_pairs) return Verdict::too_few_pairs;
  if (result.margin && result.margin->equivalent) return Verdict::equivalent;
  if (result.is_significant) return Verdict::different;
  return result.margin && result.margin->non_inferior ? Verdict::non_inferior
                                                      : Verdict::inconclusive;
}

Interval with_enough_pairs(Interval interval, std::size_t pairs) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (pairs < least_pairs) interval.lower = interval.upper = none;
  return interval;
}

std::vector<double> units_of(std::span<const double> values,
                             std::span<const std::size_t> clusters) {
  return clusters.empty() ? std::vector<double>(values.begin(), values.end())
                          : cluster_means(values, clusters);
}

/// The differences that are not zero; all of them if there are no others.
std::vector<double> without_zeros(std::span<const double> differences, double tolerance) {
  std::vector<double> out;
  for (const double d : differences)
    if (std::fabs(d) > tolerance) out.push_back(d);
  return out.empty() ? std::vector<double>(differences.begin(), differences.end()) : out;
}

/// The mean over cases and its error, with clusters or without.
MeanError mean_over_cases(std::span<const double> change, const ComparisonOptions& options,
                          ComparisonResult& result) {
  if (options.clusters.empty()) return mean_error(change);
  if (cluster_members(options.clusters).size() < 2)
    return {mean(change), std::numeric_limits<double>::quiet_NaN(), 0, 0};
  const ClusteredMean found = clustered_mean(change, options.clusters);
  result.design_effect = found.design_effect;
  return {found.interval.estimate, found.standard_error, static_cast<double>(found.clusters) - 1,
          found.skewness};
}

void add_intervals(ComparisonResult& result, std::span<const double> pairs,
                   const MeanError& mean_change, const ComparisonOptions& options) {
  const std::vector<double> differing = without_zeros(pairs, options.tie_tolerance);
  const auto of_ranks = [&](double level) {
    return with_enough_pairs(hodges_lehmann(differing, level), differing.size());
  };
  const auto of_mean = [&](double level) {
    return with_enough_pairs(mean_change.interval(level), pairs.size());
  };
  result.level = 1 - options.alpha;
  result.difference = of_ranks(result.level);
  result.difference95 = options.alpha == 0.05 ? result.difference : of_ranks(0.95);
  result.mean_difference = of_mean(result.level);
  result.mean_difference95 = of_mean(0.95);
}

/// The order matters: scipy-1.10 truncates half-integer rank sums of reference - model.
WilcoxonResult tested(std::span<const double> reference, std::span<const double> scores,
                      const ComparisonOptions& options) {
  WilcoxonOptions test = {.policy = options.policy};
  test.alpha = options.alpha;
  test.tie_tolerance = options.tie_tolerance;
  const bool close = options.allclose_is_equal && allclose(reference, scores);
  const bool same = std::equal(reference.begin(), reference.end(), scores.begin(), scores.end());
  if (!close && !same) return wilcoxon(reference, scores, test);
  test.policy = WilcoxonPolicy::exact;
  WilcoxonResult result = wilcoxon(std::vector<double>(reference.size()), test);
  result.policy = name_in(wilcoxon_policies(), options.policy);
  result.warning = same ? "every difference is zero: the scores are identical"
                        : "all differences are within the shortcut's tolerance and count as zero";
  return result;
}

}  // namespace

bool allclose(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return x == y || std::fabs(x - y) <= 1e-8 + 1e-5 * std::fabs(y);
  });
}

std::vector<double> tested_differences(std::span<const double> reference,
                                       std::span<const double> scores,
                                       std::span<const std::size_t> clusters) {
  return differences(units_of(scores, clusters), units_of(reference, clusters));
}

ComparisonResult compare_pair(std::span<const double> reference, const ModelScores& model,
                              const ComparisonOptions& options) {
  try {
    const std::vector<double> change = differences(model.scores, reference);
    const std::vector<double> units = units_of(model.scores, options.clusters),
                              reference_units = units_of(reference, options.clusters);
    const std::vector<double> pairs = differences(units, reference_units);
    ComparisonResult result;
    result.model_name = model.name;
    const MeanError mean_change = mean_over_cases(change, options, result);
    add_intervals(result, pairs, mean_change, options);
    result.effect_size = rank_biserial(pairs);
    result.probability_of_superiority = probability_of_superiority(pairs);
    result.cohens_dz = cohens_dz(pairs);
    if (options.margin)
      result.margin = margin_test(pairs, mean_change,
                                  {*options.margin, options.alpha, options.lower_is_better});
    result.test = tested(reference_units, units, options);
    result.p_value = result.corrected_p_value = result.test.pvalue;
    return result;
  } catch (const Error& error) {
    throw error.within("model '" + model.name + "'");
  }
}

namespace {

/// Corrects one of the p-values of each result over those that have it.
template <class Pvalue, class Settle>
void correct(std::span<ComparisonResult> family, const ComparisonOptions& options, Pvalue pvalue,
             Settle settle) {
  std::vector<double> pvalues;
  std::vector<ComparisonResult*> members;
  for (ComparisonResult& result : family)
    if (const std::optional<double> p = pvalue(result)) {
      pvalues.push_back(*p);
      members.push_back(&result);
    }
  const Adjusted adjusted = adjust(pvalues, options.correction, options.alpha);
  for (std::size_t k = 0; k < members.size(); ++k)
    settle(*members[k], adjusted.pvalues[k], adjusted.reject[k]);
}

/// The least p-value that so many pairs can have; 0 where that is not known.
double least_pvalue(const ComparisonResult& result) {
  if (result.test.method != "exact") return 0;
  return std::min(1.0, std::exp2(1 - static_cast<double>(result.differing())));
}

/// Which results could not be significant even if every member of the family had its least p-value.
/// That is the best case for each of them, since step-down procedures ask less of later members.
void find_hopeless(std::span<ComparisonResult> family, const ComparisonOptions& options) {
  std::vector<double> least;
  least.reserve(family.size());
  for (const ComparisonResult& result : family) least.push_back(least_pvalue(result));
  const Adjusted best = adjust(least, options.correction, options.alpha);
  for (std::size_t k = 0; k < family.size(); ++k) family[k].is_hopeless = !best.reject[k];
}

}  // namespace

void correct_margins(std::span<ComparisonResult> family, const ComparisonOptions& options) {
  using Found = std::optional<double>;
  correct(
      family, options,
      [](const ComparisonResult& r) {
        return r.margin ? Found(r.margin->equivalence_pvalue) : Found();
      },
      [](ComparisonResult& r, double p, bool reject) {
        r.margin->corrected_equivalence_pvalue = p;
        r.margin->equivalent = reject;
      });
  correct(
      family, options,
      [](const ComparisonResult& r) {
        return r.margin ? Found(r.margin->non_inferiority_pvalue) : Found();
      },
      [](ComparisonResult& r, double p, bool reject) {
        r.margin->corrected_non_inferiority_pvalue = p;
        r.margin->non_inferior = reject;
      });
  for (ComparisonResult& result : family) result.verdict = settled(result);
}

void correct_family(std::span<ComparisonResult> family, const ComparisonOptions& options) {
  correct(
      family, options, [](const ComparisonResult& r) { return std::optional(r.p_value); },
      [&](ComparisonResult& r, double p, bool reject) {
        r.corrected_p_value = p;
        r.is_significant = reject && (r.test.n >= least_pairs || options.allclose_is_equal);
      });
  for (ComparisonResult& result : family) result.family = family.size();
  find_hopeless(family, options);
  correct_margins(family, options);
}

std::vector<ComparisonResult> compare_models_to_reference(std::span<const double> reference,
                                                          std::span<const ModelScores> models,
                                                          const ComparisonOptions& options) {
  std::vector<ComparisonResult> results;
  for (const ModelScores& model : models)
    results.push_back(compare_pair(reference, model, options));
  correct_family(results, options);
  return results;
}

}  // namespace assay::stats
