// SPDX-License-Identifier: Apache-2.0
/// Every model against one reference, on the same cases, corrected for how many there are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/stats/effects.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/paired.hpp"
#include "assay/stats/wilcoxon.hpp"

namespace assay {

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
  /// The specification's shortcut: p = 1 when np.allclose holds, however consistent the difference.
  bool allclose_is_equal = false;
};

/// Differences are model - reference: positive when the model is higher.
struct ComparisonResult {
  std::string model_name;
  double p_value = 0, corrected_p_value = 0;
  bool is_significant = false;  ///< after the correction; never of fewer than `least_pairs`
  double effect_size = 0;       ///< rank-biserial
  Interval difference;          ///< Hodges-Lehmann with its 95 % limits, from `least_pairs` on
  Interval mean_difference;     ///< with the 95 % limits of Student's t, from `least_pairs` on
  double probability_of_superiority = 0, cohens_dz = 0;  ///< cohens_dz: NaN for 0 / 0
  std::optional<double> tost_pvalue;                     ///< against the margin, if there is one
  Verdict verdict = Verdict::inconclusive;
  WilcoxonResult test;
};

/// One model without correction: `corrected_p_value` is the p-value itself. Equal scores give p = 1
/// under every policy, also where that program gives none. NaN scores are an Error, also under the
/// scipy policies: a NaN p-value has no place in a corrected family.
ComparisonResult compare_pair(std::span<const double> reference, const ModelScores& model,
                              const ComparisonOptions& options = {});

/// Corrects for the number of results and settles each verdict: stars and words always agree.
void correct_family(std::span<ComparisonResult> family, const ComparisonOptions& options = {});

/// Both, in the order of the models.
std::vector<ComparisonResult> compare_models_to_reference(std::span<const double> reference,
                                                          std::span<const ModelScores> models,
                                                          const ComparisonOptions& options = {});

/// np.allclose(a, b) with its default tolerances, which are relative to b.
bool allclose(std::span<const double> a, std::span<const double> b);

}  // namespace assay
