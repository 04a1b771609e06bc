// SPDX-License-Identifier: Apache-2.0
/// `assay.comparison/1`: what was compared, and every number of it. docs/formats/comparison.md
/// describes it.
#pragma once

#include <string>

#include "assay/compare/comparison.hpp"
#include "assay/results/results.hpp"

namespace assay::results {

/// The text of an `assay.comparison/1` file; `with_paper` adds the published models.
std::string comparison_text(const compare::Comparison& comparison, bool with_paper,
                            const Provenance& provenance);

}  // namespace assay::results
