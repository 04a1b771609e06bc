// SPDX-License-Identifier: Apache-2.0
/// Is a model as good as another, up to a margin? Equivalence and non-inferiority of paired scores.
#pragma once

#include <span>

#include "assay/stats/effects.hpp"
#include "assay/stats/paired.hpp"

namespace assay::stats {

/// Both the mean difference and the pseudo-median must lie within the margin: the pseudo-median
/// alone resists the few failures that matter most, the mean alone can be carried by them. Each is
/// tested by two one-sided tests (Schuirmann 1987), Student's t with a correction for skewness
/// where that is stricter (Hall 1992) and the signed ranks, and the largest p-value counts (an
/// intersection-union test, Berger 1982), so no level is spent twice.
struct MarginTest {
  double level = 0.9;        ///< of the two intervals: 1 - 2 alpha, as two one-sided tests want
  Interval mean{};           ///< difference of the means
  Interval pseudo_median{};  ///< Hodges-Lehmann, of all pairs
  double equivalence_pvalue = 1;      ///< against "one of them is at or beyond the margin"
  double non_inferiority_pvalue = 1;  ///< against "one of them is worse by the margin or more"
  double corrected_equivalence_pvalue = 1, corrected_non_inferiority_pvalue = 1;
  bool equivalent = false, non_inferior = false;  ///< after correction
};

struct MarginOptions {
  double margin = 0;  ///< above 0, or an Error
  double alpha = 0.05;
  bool lower_is_better = false;  ///< turns the side on which non-inferiority is judged
};

/// `pairs` are the differences that the signed ranks see, `mean` the mean with its error. Not
/// corrected: the corrected values equal the others.
MarginTest margin_test(std::span<const double> pairs, const MeanError& mean,
                       const MarginOptions& options);

/// With n cases and no failure among them, failures in up to this share of all cases cannot be
/// excluded at 95 %.
double share_never_seen(double n);

}  // namespace assay::stats
