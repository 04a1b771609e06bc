// SPDX-License-Identifier: Apache-2.0
/// How well two measurements of the same cases agree, and how two classifiers order the same cases.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/statistics.hpp"

namespace assay::stats {

/// Bland and Altman's limits of agreement of x - y. The intervals of the limits are exact where the
/// differences are normal (Carkeet 2015); below three pairs, or without spread, they are NaN.
/// Values that are not finite are an Error.
struct BlandAltman {
  std::size_t n = 0;
  Interval bias;          ///< mean difference
  double sd = 0;          ///< of the differences, ddof 1
  Interval lower, upper;  ///< bias -+ 1.96 SD, each with its own interval
};

BlandAltman bland_altman(std::span<const double> x, std::span<const double> y, double level = 0.95);

/// Intraclass correlation of single measurements in a two-way layout (McGraw and Wong 1996).
/// Agreement, ICC(A,1), counts a constant offset between raters as disagreement; consistency,
/// ICC(C,1), does not. Intervals use the F distribution. NaN where all variances are zero.
struct Icc {
  std::size_t cases = 0, raters = 0;
  Interval agreement, consistency;
};

/// `ratings` has a row per rater (or model) and a column per case; at least two of each.
Icc intraclass_correlation(std::span<const std::vector<double>> ratings, double level = 0.95);

/// Area under the ROC curve with DeLong's interval, cut to 0..1. Without any variance, as with an
/// area of 1, the limits are NaN: the method would claim certainty, whatever the number of cases.
/// Higher scores mean that a case is more likely to be positive. At least two positive and two
/// negative cases.
Interval roc_area(std::span<const double> scores, const std::vector<bool>& is_positive,
                  double level = 0.95);

/// Two areas under the ROC curve on the same cases (DeLong, DeLong and Clarke-Pearson 1988), by
/// mid-ranks (Sun and Xu 2014).
struct DeLong {
  Interval first, second;    ///< areas
  Interval difference;       ///< first - second; limits are NaN without variance
  double z = 0, pvalue = 0;  ///< 0 and 1 for equal areas; NaN without variance otherwise
};

DeLong delong(std::span<const double> first, std::span<const double> second,
              const std::vector<bool>& is_positive, double level = 0.95);

// Kendall's tau-b: how far two orders of the same things agree.

/// Pairs in the same order less pairs in the opposite order, over the geometric mean of the numbers
/// of pairs that each side does not tie (Kendall 1945): 1 for the same order, -1 for the reverse.
/// NaN where one side ties everything, and so has no order. Sizes that differ are an Error.
double kendall_tau_b(std::span<const double> x, std::span<const double> y);

}  // namespace assay::stats
