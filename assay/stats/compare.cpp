// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/core/error.hpp"

namespace assay {

namespace {

/// The interval as a gain: positive means that the model is better.
Interval gain(const Interval& difference, bool lower_is_better) {
  if (!lower_is_better) return difference;
  return {-difference.estimate, -difference.upper, -difference.lower};
}

/// A significant difference that does not matter is still equivalent; a large p-value alone proves
/// nothing.
Verdict settled(const ComparisonResult& result, const ComparisonOptions& options) {
  if (result.test.n < least_pairs) return Verdict::too_few_pairs;
  const Verdict words = verdict(gain(result.difference, options.lower_is_better), options.margin);
  if (words == Verdict::equivalent) return words;
  if (result.is_significant) return Verdict::different;
  const bool not_worse =
      options.margin && gain(result.difference, options.lower_is_better).lower > -*options.margin;
  return not_worse ? Verdict::non_inferior : Verdict::inconclusive;
}

Interval with_enough_pairs(Interval interval, std::size_t pairs) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (pairs < least_pairs) interval.lower = interval.upper = none;
  return interval;
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

ComparisonResult compare_pair(std::span<const double> reference, const ModelScores& model,
                              const ComparisonOptions& options) {
  try {
    const std::vector<double> change = differences(model.scores, reference);
    ComparisonResult result;
    result.model_name = model.name;
    result.difference = with_enough_pairs(hodges_lehmann(change), change.size());
    result.mean_difference = with_enough_pairs(mean_interval(change), change.size());
    result.effect_size = rank_biserial(change);
    result.probability_of_superiority = probability_of_superiority(change);
    result.cohens_dz = cohens_dz(change);
    if (options.margin)
      result.tost_pvalue = tost_paired(model.scores, reference, *options.margin).pvalue;
    result.test = tested(reference, model.scores, options);
    result.p_value = result.corrected_p_value = result.test.pvalue;
    return result;
  } catch (const Error& error) {
    throw error.within("model '" + model.name + "'");
  }
}

void correct_family(std::span<ComparisonResult> family, const ComparisonOptions& options) {
  std::vector<double> pvalues;
  for (const ComparisonResult& result : family) pvalues.push_back(result.p_value);
  const Adjusted adjusted = adjust(pvalues, options.correction, options.alpha);
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i].corrected_p_value = adjusted.pvalues[i];
    family[i].is_significant =
        adjusted.reject[i] && (family[i].test.n >= least_pairs || options.allclose_is_equal);
    family[i].verdict = settled(family[i], options);
  }
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

}  // namespace assay
