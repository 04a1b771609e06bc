// SPDX-License-Identifier: Apache-2.0
/// Corrections for testing many hypotheses at once.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "assay/base/named.hpp"

namespace assay::stats {

/// Family-wise error: all up to `holm_sidak`; the others control the false discovery rate.
enum class Correction {
  holm,
  bonferroni,
  sidak,
  hochberg,
  hommel,
  holm_sidak,
  bh,    ///< Benjamini and Hochberg (1995)
  by,    ///< Benjamini and Yekutieli (2001), for any dependence
  gbs,   ///< Gavrilov, Benjamini and Sarkar (2009), an adaptive step-down procedure
  tsbh,  ///< bh twice: the first stage estimates how many hypotheses are true
  tsbky  ///< the same by Benjamini, Krieger and Yekutieli (2006)
};

std::span<const Named<Correction>> corrections();

/// The correction of a name: ours, or that of statsmodels' `multipletests` or R's `p.adjust`. An
/// unknown one is an Error.
Correction correction_named(std::string_view name);

struct Adjusted {
  std::vector<double> pvalues;  ///< in the order given, at most 1
  std::vector<bool> reject;     ///< decided on the raw p-values against their own limits
};

/// NaN and anything outside 0..1 is an Error; nothing in, nothing out. The adjusted p-values of the
/// two-stage procedures depend on alpha.
Adjusted adjust(std::span<const double> pvalues, Correction correction, double alpha = 0.05);

/// Holm's step-down procedure: adjusted values are monotone in the raw ones.
Adjusted holm(std::span<const double> pvalues, double alpha = 0.05);

}  // namespace assay::stats
