// SPDX-License-Identifier: Apache-2.0
/// Voxels of one grid on another: between neighbours for images, the nearest one for labels.
#pragma once

#include <cstdint>

#include "assay/executor.hpp"
#include "assay/model/recipe/mapping.hpp"

namespace assay::model {

/// Linear interpolation, 0 outside. Sums and products are doubles in SciPy's order, rounded to
/// float once at the end: on the same positions the bits are those of scipy.ndimage at order 1.
Volume<float> resampled(View<float> source, const Mapping& mapping, const Executor& executor);

/// The nearest voxel, the upper one of two at the same distance; 0 outside.
Volume<std::uint8_t> resampled(View<std::uint8_t> source, const Mapping& mapping,
                               const Executor& executor);

}  // namespace assay::model
