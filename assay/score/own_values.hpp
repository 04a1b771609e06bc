// SPDX-License-Identifier: Apache-2.0
/// The user's own metrics on one case: from label maps to masks, and from masks to values.
#pragma once

#include <cstdint>
#include <span>

#include "assay/cohort.hpp"
#include "assay/volume.hpp"

namespace assay::score {

/// Computes every own metric of the settings for one region of two label maps on the prediction's
/// grid. Expects the counts of the region in the record: where a rule for empty masks decides,
/// nothing is computed. Does nothing if there is no such metric. A metric that fails leaves a
/// message.
void measure_own_metrics(const LabelView& prediction, const LabelView& reference,
                         const metrics::Region& region, const metrics::ScoreSettings& settings,
                         metrics::CaseRecord& record);

/// The same for a prediction mask in which non-zero is foreground and a reference with one bit per
/// voxel.
void measure_own_metrics(const LabelView& prediction, std::span<const std::uint64_t> reference,
                         const metrics::Region& region, const metrics::ScoreSettings& settings,
                         metrics::CaseRecord& record);

}  // namespace assay::score
