// SPDX-License-Identifier: Apache-2.0
/// Confidence intervals of a proportion such as an accuracy.
#pragma once

#include <cstdint>
#include <span>

#include "assay/base/named.hpp"
#include "assay/statistics.hpp"

namespace assay::stats {

/// Wilson (1927) is the default for its coverage; `normal` is Wald's, for comparison only: it has
/// no width at 0 and 1.
enum class ProportionMethod { wilson, clopper_pearson, jeffreys, agresti_coull, normal };

std::span<const Named<ProportionMethod>> proportion_methods();

/// `successes` of `trials`, at least one trial; otherwise an Error.
Interval proportion_interval(std::uint64_t successes, std::uint64_t trials, double level = 0.95,
                             ProportionMethod method = ProportionMethod::wilson);

}  // namespace assay::stats
