// SPDX-License-Identifier: Apache-2.0
/// Every model against one reference, on the same cases, corrected for how many there are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/stats/effects.hpp"
#include "assay/stats/margin.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/paired.hpp"
#include "assay/stats/wilcoxon.hpp"

namespace assay::stats {

struct ModelScores {
  std::string name;
  std::vector<double> scores;  ///< one per case, in the order of the reference's
};

struct ComparisonOptions {
  double alpha = 0.05;
  WilcoxonPolicy policy = WilcoxonPolicy::exact;
  Correction correction = Correction::holm;
  std::optional<double> margin = {};  ///< of equivalence, in units of the scores
  double tie_tolerance = 0;           ///< differences closer than this are ties, below it zeros
  bool lower_is_better = false;       ///< turns the side on which non-inferiority is judged
  /// The cluster of each case; cases of one cluster are not independent. Empty: all are.
  std::span<const std::size_t> clusters = {};
  /// The specification's shortcut: p = 1 when np.allclose holds, however consistent the difference.
  bool allclose_is_equal = false;
};

/// Differences are model - reference: positive when the model is higher. With clusters the test and
/// the Hodges-Lehmann estimate are of the means of clusters, and the mean difference is of the
/// cases with a cluster-robust error.
struct ComparisonResult {
  std::string model_name;
  double p_value = 0, corrected_p_value = 0;
  bool is_significant = false;  ///< after the correction; never of fewer than `least_pairs`
  std::size_t family = 1;       ///< hypotheses that it was corrected with, itself included
  /// With this many differing pairs, no scores could be significant after the correction.
  bool is_hopeless = false;
  double effect_size = 0;  ///< rank-biserial
  double level = 0.95;     ///< of the limits below, 1 - alpha; not corrected for the family
  /// Hodges-Lehmann, of the pairs that differ: the limits invert the test, which drops zeros. None
  /// for fewer than `least_pairs` of them.
  Interval difference;
  Interval difference95;                 ///< the same at 95 %, whatever alpha is
  std::optional<Interval> simultaneous;  ///< valid for the whole family, where there is such a one
  Interval mean_difference;              ///< with the limits of Student's t, from `least_pairs` on
  Interval mean_difference95;
  double probability_of_superiority = 0, cohens_dz = 0;  ///< cohens_dz: NaN for 0 / 0
  std::optional<double> design_effect;  ///< variance of the mean difference due to clusters
  std::optional<MarginTest> margin;     ///< against the margin, if there is one
  Verdict verdict = Verdict::inconclusive;
  WilcoxonResult test;

  std::size_t differing() const { return test.n - test.zeros; }
  /// The limits to show: those of the family, if there are any.
  const Interval& shown() const { return simultaneous ? *simultaneous : difference; }
};

/// One model without correction: `corrected_p_value` is the p-value itself. Equal scores give p = 1
/// under every policy, also where that program gives none. NaN scores are an Error, also under the
/// scipy policies: a NaN p-value cannot be part of a corrected family.
ComparisonResult compare_pair(std::span<const double> reference, const ModelScores& model,
                              const ComparisonOptions& options = {});

/// Corrects for the number of results and settles each verdict: stars and words always agree.
void correct_family(std::span<ComparisonResult> family, const ComparisonOptions& options = {});

/// The tests against margins alone, and the verdicts: for families whose p-values were corrected
/// elsewhere.
void correct_margins(std::span<ComparisonResult> family, const ComparisonOptions& options = {});

/// Both, in the order of the models.
std::vector<ComparisonResult> compare_models_to_reference(std::span<const double> reference,
                                                          std::span<const ModelScores> models,
                                                          const ComparisonOptions& options = {});

/// The differences that the test of a pair sees: of the cases, or of the means of clusters.
std::vector<double> tested_differences(std::span<const double> reference,
                                       std::span<const double> scores,
                                       std::span<const std::size_t> clusters);

/// np.allclose(a, b) with its default tolerances, which are relative to b.
bool allclose(std::span<const double> a, std::span<const double> b);

}  // namespace assay::stats
