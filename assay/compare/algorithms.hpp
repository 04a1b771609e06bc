// SPDX-License-Identifier: Apache-2.0
/// Whether the algorithms differ, and not only the models that they trained: one difference per
/// fold of a cross-validation, and the corrected resampled t test over them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/compare/matching.hpp"
#include "assay/compare/result_table.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/paired.hpp"

namespace assay::compare {

/// The folds that the matched cases were tested in.
struct TrainingFolds {
  std::vector<std::size_t> of_case{};  ///< by matched case
  std::size_t count = 0;               ///< 0: not asked for
  double test_share = 0;               ///< test cases over training cases, mean over folds
};

/// The first column names the fold, others the repetition of the cross-validation that it belongs
/// to; a fold is trained on all other cases of its repetition. Throws Error when files disagree, a
/// case has no fold, or a repetition has fewer than two.
TrainingFolds training_folds(std::span<const ResultTable> tables, const Matching& matching,
                             std::span<const std::string> columns);

/// There is no verdict with fewer folds: with two, the spread comes from a single difference.
inline constexpr std::size_t least_folds = 3;

/// One algorithm against that of the baseline.
struct AlgorithmTest {
  std::size_t folds = 0;           ///< in which both have a value
  double test_share = 0;           ///< of `TrainingFolds`
  stats::TTest test{};             ///< corrected for overlapping training sets
  double level = 0.95;             ///< of the limits below, 1 - alpha
  stats::Interval difference{};    ///< of the means, model - baseline
  stats::Interval difference95{};  ///< the same at 95 %, whatever alpha is
  double corrected_p_value = 1;
  bool is_significant = false;  ///< after the correction; never of fewer than `least_folds`
};

/// Values by matched case. None when fewer than two folds have a value of both.
std::optional<AlgorithmTest> algorithm_test(const TrainingFolds& folds,
                                            std::span<const std::optional<double>> baseline,
                                            std::span<const std::optional<double>> model,
                                            double level = 0.95);

/// Corrects for the number of algorithms.
void correct_algorithms(std::span<AlgorithmTest* const> family, stats::Correction correction,
                        double alpha);

/// "different", "inconclusive" or "too_few_folds".
std::string_view verdict_name(const AlgorithmTest& found);

}  // namespace assay::compare
