// SPDX-License-Identifier: Apache-2.0
/// Values that are missing because the model failed: whose fault an undefined score is, and what a
/// failure counts as, where failures are counted.
#pragma once

#include <optional>

#include "assay/metrics.hpp"

namespace assay::metrics {

/// Whose fault it is that a metric has no value.
enum class Culprit { nobody, model };

/// A reference that has nothing to find, and a prediction that found nothing there, are nobody's
/// fault; so are masks that fill the image, maps that were not turned into masks, voxels of unknown
/// size, missing references, and a metric of the user's own that fails. A prediction that is empty
/// where the reference is not, a false alarm on an empty reference, and a prediction that is
/// missing or could not be read are the model's. Which masks are empty decides, not the reason
/// alone: MCC gives `zero_denominator` for all of them.
Culprit culprit(const Metric& metric, Undefined why, Presence presence);

/// Which masks are empty, as far as the reason alone tells.
constexpr Presence presence_told_by(Undefined why) {
  switch (why) {
    case Undefined::both_empty: return Presence::both_empty;
    case Undefined::reference_empty: return Presence::reference_empty;
    case Undefined::prediction_empty:
    case Undefined::missing_prediction:
    case Undefined::not_scored: return Presence::prediction_empty;
    case Undefined::missing_reference:
    case Undefined::zero_denominator:
    case Undefined::not_a_mask:
    case Undefined::no_voxel_size:
    case Undefined::own_metric_undefined:
    case Undefined::own_metric_failed:
    case Undefined::not_probabilities: break;
  }
  return Presence::ok;
}

/// Replaces infinity by the undefined score that it means, since JSON has no infinity.
Score finite_score(const Score& score, Presence presence);

/// What a failure of the model counts as in the metric: what the metric's row declares, and for
/// distances the diagonal of the image in mm. A missing or unreadable prediction counts as an empty
/// one (`Presence::prediction_empty`). Nothing when the row declares nothing, or the diagonal is
/// not known (0).
std::optional<double> failure_value(const Metric& metric, Presence presence, double diagonal_mm);

}  // namespace assay::metrics
