// SPDX-License-Identifier: Apache-2.0
/// One sample of scores against a paper's mean: the specification's run_statistical_comparison.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/stats/effects.hpp"
#include "assay/stats/paired.hpp"
#include "assay/stats/wilcoxon.hpp"

namespace assay {

struct PaperComparisonOptions {
  double alpha = 0.05;
  double margin = 0.01;  ///< of equivalence, in units of Dice
  /// SciPy 1.10's p-value with the allclose shortcut, "equivalent" for every p >= alpha, and the
  /// word "large" for an effect size that does not exist.
  bool compat_spec = false;
};

struct PaperComparison {
  std::size_t n = 0;
  double our_mean = 0, our_std = 0;  ///< ddof 0
  double paper_mean = 0;
  std::optional<double> paper_std{};
  std::string_view test_type = "Wilcoxon signed-rank";
  std::string_view policy{}, method{};  ///< whose p-value, and exact or asymptotic
  double wilcoxon_statistic = 0, p_value = 1;
  bool significant = false;
  std::optional<double> cohens_d{};
  std::string cohens_d_missing{};        ///< why there is none
  std::string_view interpretation = "";  ///< negligible, small, medium, large
  double alpha = 0.05, margin = 0.01;
  Interval difference{};           ///< Hodges-Lehmann of ours - paper, level 1 - alpha
  std::optional<double> tost_p{};  ///< that the mean lies within +-margin of the paper's
  Verdict verdict = Verdict::inconclusive;
  std::string conclusion{};
  std::string warning{};  ///< when no data of this size could fall below alpha
};

/// Values must be finite and at least one. `paper_std` enters Cohen's d only; without it there is
/// none.
PaperComparison compared_with_paper(std::span<const double> values, double paper_mean,
                                    std::optional<double> paper_std,
                                    const PaperComparisonOptions& options = {});

/// negligible below 0.2, small below 0.5, medium below 0.8, else large.
std::string_view cohens_d_word(double d);

}  // namespace assay
