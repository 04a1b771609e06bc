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
  /// The specification's shortcut: p = 1 when np.allclose holds, however consistent the difference.
  bool allclose_is_equal = false;
};

struct ComparisonResult {
  std::string model_name;
  double p_value = 0, corrected_p_value = 0;
  bool is_significant = false;
  double effect_size =
      0;                ///< rank-biserial of model - reference: positive when the model is higher
  Interval difference;  ///< Hodges-Lehmann of model - reference, level 1 - alpha
  Verdict verdict = Verdict::inconclusive;
  WilcoxonResult test;
};

/// In the order of the models. NaN scores are an Error, also under the scipy policies: a NaN
/// p-value has no place in a corrected family.
std::vector<ComparisonResult> compare_models_to_reference(std::span<const double> reference,
                                                          std::span<const ModelScores> models,
                                                          const ComparisonOptions& options = {});

/// np.allclose(a, b) with its default tolerances, which are relative to b.
bool allclose(std::span<const double> a, std::span<const double> b);

}  // namespace assay
