// SPDX-License-Identifier: Apache-2.0
/// Corrections for testing many hypotheses at once.
#pragma once

#include <span>
#include <vector>

#include "assay/stats/named.hpp"

namespace assay {

/// Family-wise error: all but the last two, which control the false discovery rate.
enum class Correction { holm, bonferroni, hochberg, hommel, holm_sidak, bh, by };

std::span<const Named<Correction>> corrections();

struct Adjusted {
  std::vector<double> pvalues;  ///< in the order given, at most 1
  std::vector<bool> reject;     ///< decided on the raw p-values against their own limits
};

/// NaN and anything outside 0..1 is an Error; nothing in, nothing out.
Adjusted adjust(std::span<const double> pvalues, Correction correction, double alpha = 0.05);

/// Holm's step-down procedure: adjusted values are monotone in the raw ones.
Adjusted holm(std::span<const double> pvalues, double alpha = 0.05);

}  // namespace assay
