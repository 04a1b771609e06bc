// SPDX-License-Identifier: Apache-2.0
/// The names of what can be chosen for scoring.
#pragma once

#include "assay/cohort.hpp"

namespace assay::metrics {

std::span<const Named<Missing>> missing_rules();
std::span<const Named<MeanInterval>> mean_intervals();  ///< those that can be asked for
std::span<const Named<Connectivity>> connectivities();
std::span<const Named<Resampled>> resampled_sides();
std::span<const Named<Interpolation>> interpolations();
std::span<const Named<VolumeRule>> volume_rules();

/// Resamples of the interval `bca`.
inline constexpr std::size_t bca_replicates = 2000;

}  // namespace assay::metrics
