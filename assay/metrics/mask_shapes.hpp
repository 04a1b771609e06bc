// SPDX-License-Identifier: Apache-2.0
/// What metrics need to know about the positions of the voxels of two masks, beyond counts.
#pragma once

#include "assay/cohort.hpp"
#include "assay/metrics/solids.hpp"

namespace assay::metrics {

/// Adds lesions and boundaries, as far as the metrics need them. Lesions need one mask that is not
/// empty, boundaries two.
void add_shapes(Evidence& evidence, const ScoreSettings& settings, const Solids& solids,
                const Grid& grid);

}  // namespace assay::metrics
