// SPDX-License-Identifier: Apache-2.0
/// Kendall's tau-b: how far two orders of the same things agree.
#pragma once

#include <span>

namespace assay::stats {

/// Pairs in the same order less pairs in the opposite order, over the geometric mean of the numbers
/// of pairs that each side does not tie (Kendall 1945): 1 for the same order, -1 for the reverse.
/// NaN where one side ties everything, and so has no order. Sizes that differ are an Error.
double kendall_tau_b(std::span<const double> x, std::span<const double> y);

}  // namespace assay::stats
