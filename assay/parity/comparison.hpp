// SPDX-License-Identifier: Apache-2.0
/// One sample of scores against a paper's mean: a test of the mean, or what the specification's
/// run_statistical_comparison does.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/base/executor.hpp"
#include "assay/stats/effects.hpp"
#include "assay/stats/paired.hpp"

namespace assay::parity {

struct PaperComparisonOptions {
  double alpha = 0.05;
  double margin = 0.01;  ///< of equivalence, in units of Dice
  /// The signed-rank test with SciPy 1.10's p-value and the allclose shortcut, "equivalent" for
  /// every p >= alpha, and the word "large" for an effect size that does not exist.
  bool compat_spec = false;
  Executor executor = {};
};

/// Below this many values there is no interval and no verdict.
inline constexpr std::size_t fewest_for_a_verdict = 6;

/// A published mean of Dice, with what is known about how it was obtained.
struct PaperMean {
  double mean = 0;
  std::optional<double> std{};
  std::optional<std::size_t> n{};  ///< values that mean and SD are over
};

struct PaperComparison {
  std::size_t n = 0;
  double our_mean = 0, our_std = 0;  ///< ddof 0
  double paper_mean = 0;
  std::optional<double> paper_std{};
  std::optional<std::size_t> paper_n{};
  std::string_view test_type{};
  std::string_view policy{};  ///< whose Wilcoxon test; "" where the mean was tested
  std::string_view method{};  ///< how the p-value was found
  std::optional<double> wilcoxon_statistic{};
  std::optional<double> p_value{};  ///< absent when no test is possible
  double least_p_value = 0;         ///< of a resampled test; no p-value can be smaller
  bool significant = false;         ///< the p-value is at most alpha
  std::optional<double> cohens_d{};
  std::string cohens_d_missing{};        ///< why there is none
  std::string_view interpretation = "";  ///< negligible, small, medium, large
  double alpha = 0.05, margin = 0.01;
  double difference = 0;  ///< of the means, ours - paper; Hodges-Lehmann under compat_spec
  std::optional<stats::Interval> interval{};       ///< level 1 - alpha
  std::optional<stats::Interval> tost_interval{};  ///< level 1 - 2 alpha
  std::optional<double> tost_p{};  ///< that the mean lies within +-margin of the paper's
  stats::Verdict verdict = stats::Verdict::inconclusive;
  std::string conclusion{};

  /// "p = 0.031", "p ≤ 0.0002", "no p-value".
  std::string p_text() const;
};

/// Values are Dice scores, finite and at least one. The mean is tested by the bootstrap-t, or by
/// Welch's t where the paper's SD and number are known.
PaperComparison compared_with_paper(std::span<const double> values, const PaperMean& paper,
                                    const PaperComparisonOptions& options = {});

/// negligible below 0.2, small below 0.5, medium below 0.8, else large.
std::string_view cohens_d_word(double d);

}  // namespace assay::parity
