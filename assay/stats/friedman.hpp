// SPDX-License-Identifier: Apache-2.0
/// Several models on the same cases: Friedman, Iman and Davenport, Nemenyi.
#pragma once

#include <span>
#include <vector>

namespace assay::stats {

/// One row per case, one column per model; higher is better. Rows of unequal length, fewer than
/// two rows or three columns, or NaN are an Error.
using ScoreTable = std::span<const std::vector<double>>;

struct FriedmanResult {
  double statistic = 0, pvalue = 0;  ///< chi-squared, corrected for ties
  double f = 0, f_pvalue = 0;        ///< Iman and Davenport (1980), less conservative
  double kendall_w = 0;              ///< agreement of the cases about the order, 0 to 1
  std::vector<double> mean_ranks;    ///< by model; 1 is the best
};

FriedmanResult friedman(ScoreTable table);

struct NemenyiResult {
  std::vector<double> mean_ranks;
  double critical_difference = 0;            ///< mean ranks further apart differ at `alpha`
  std::vector<std::vector<double>> pvalues;  ///< by pair of models; 1 on the diagonal
};

NemenyiResult nemenyi(ScoreTable table, double alpha = 0.05);

/// P(Q > q) of the studentized range of k groups with infinite degrees of freedom, and its inverse.
double studentized_range_sf(double q, unsigned k);
double studentized_range_quantile(double upper_tail, unsigned k);

}  // namespace assay::stats
