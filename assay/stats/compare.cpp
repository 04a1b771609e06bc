// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/compare.hpp"

#include <algorithm>
#include <cmath>

#include "assay/core/error.hpp"

namespace assay {

namespace {

ComparisonResult compared(std::span<const double> reference, const ModelScores& model,
                          const ComparisonOptions& options) {
  const std::vector<double> gain = differences(model.scores, reference);
  ComparisonResult result;
  result.model_name = model.name;
  result.difference = hodges_lehmann(gain, 1 - options.alpha);
  result.effect_size = rank_biserial(gain);
  result.verdict = verdict(result.difference, options.margin);
  // The order matters: scipy-1.10 truncates half-integer rank sums of reference - model.
  const bool same = options.allclose_is_equal && allclose(reference, model.scores);
  const std::vector<double> zeros(same ? gain.size() : 0);
  WilcoxonOptions test = {.policy = same ? WilcoxonPolicy::exact : options.policy};
  test.alpha = options.alpha;
  result.test = same ? wilcoxon(zeros, test) : wilcoxon(reference, model.scores, test);
  result.p_value = result.test.pvalue;
  return result;
}

}  // namespace

bool allclose(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return x == y || std::fabs(x - y) <= 1e-8 + 1e-5 * std::fabs(y);
  });
}

std::vector<ComparisonResult> compare_models_to_reference(std::span<const double> reference,
                                                          std::span<const ModelScores> models,
                                                          const ComparisonOptions& options) {
  std::vector<ComparisonResult> results;
  std::vector<double> pvalues;
  for (const ModelScores& model : models) {
    try {
      results.push_back(compared(reference, model, options));
    } catch (const Error& error) {
      throw error.within("model '" + model.name + "'");
    }
    pvalues.push_back(results.back().p_value);
  }
  const Adjusted family = adjust(pvalues, options.correction, options.alpha);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].corrected_p_value = family.pvalues[i];
    results[i].is_significant = family.reject[i];
  }
  return results;
}

}  // namespace assay
