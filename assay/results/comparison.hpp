// SPDX-License-Identifier: Apache-2.0
/// `assay.comparison/1`: what was compared, and every number of it. docs/formats/comparison.md
/// describes it.
#pragma once

#include <string>
#include <string_view>

#include "assay/compare/comparison.hpp"
#include "assay/results/results.hpp"

namespace assay::results {

inline constexpr std::string_view comparison_schema = "assay.comparison/1";

/// The text of an `assay.comparison/1` file; `with_paper` adds the published models.
std::string comparison_text(const compare::Comparison& comparison, bool with_paper,
                            const Provenance& provenance);

}  // namespace assay::results
