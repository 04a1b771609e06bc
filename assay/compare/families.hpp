// SPDX-License-Identifier: Apache-2.0
/// Which tests of a comparison are corrected together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/compare.hpp"

namespace assay::compare {

/// Corrects all pairs that could be tested as one family.
void correct_pairs(std::span<PairComparison* const> family,
                   const stats::ComparisonOptions& options);

/// Corrects every model in every metric as one family, by Westfall and Young's single-step max-T
/// over sign flips of the cases (of the clusters, where there are any). Sets simultaneous
/// intervals, which exclude 0 where the test is significant. `clusters` has one code per matched
/// case, or is empty.
void correct_across_metrics(Comparison& comparison, std::span<const std::size_t> clusters);

/// Corrects every model in every subgroup as one family per column and metric.
void correct_subgroups(std::span<Subgroup> subgroups, const CompareSettings& settings);

/// Does the difference of a model depend on a group column? One test per model, corrected over the
/// models, by metric. `values` has the group of each matched case.
std::vector<Interaction> interactions(const Comparison& comparison, const std::string& column,
                                      std::span<const std::string> values,
                                      std::span<const std::size_t> clusters);

}  // namespace assay::compare
