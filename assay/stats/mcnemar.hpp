// SPDX-License-Identifier: Apache-2.0
/// McNemar's test of two classifiers on the same items.
#pragma once

#include <cstdint>
#include <span>

#include "assay/base/named.hpp"

namespace assay::stats {

/// Binomial, binomial with half the point probability, chi-squared with and without Edwards'
/// continuity correction.
enum class McNemarMethod { exact, mid_p, corrected, uncorrected };

std::span<const Named<McNemarMethod>> mcnemar_methods();

struct McNemarResult {
  double statistic = 0;  ///< the smaller count, or chi-squared
  double pvalue = 1;
};

/// b and c count the items that only the first or only the second got right. Without any such item
/// nothing distinguishes them: p = 1.
McNemarResult mcnemar(std::uint64_t b, std::uint64_t c,
                      McNemarMethod method = McNemarMethod::exact);

}  // namespace assay::stats
