// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/failure.hpp"

#include <cmath>

namespace assay::metrics {

Culprit culprit(const Metric& metric, Undefined why, Presence presence) {
  if (why == Undefined::missing_prediction) return Culprit::model;
  if (why == Undefined::both_empty || why == Undefined::not_a_mask ||
      why == Undefined::missing_reference || why == Undefined::no_voxel_size ||
      why == Undefined::own_metric_failed)
    return Culprit::nobody;
  // Maps of probabilities are compared with the reference; whether a mask made from one is empty
  // does not matter.
  if (metric.needs_probability() && why != Undefined::not_scored) return Culprit::nobody;
  const bool one_is_empty =
      presence == Presence::prediction_empty || presence == Presence::reference_empty;
  return one_is_empty ? Culprit::model : Culprit::nobody;
}

Score finite_score(const Score& score, Presence presence) {
  const auto x = value(score);
  if (!x || std::isfinite(*x)) return score;
  switch (presence) {
    case Presence::both_empty: return Undefined::both_empty;
    case Presence::prediction_empty: return Undefined::prediction_empty;
    case Presence::reference_empty:
    case Presence::ok: break;
  }
  return Undefined::reference_empty;
}

std::optional<double> failure_value(const Metric& metric, Presence presence, double diagonal_mm) {
  if (!metric.failure) return std::nullopt;
  if (std::isinf(*metric.failure))
    return diagonal_mm > 0 ? std::optional(diagonal_mm) : std::nullopt;
  // Too much counts above zero; finding nothing where there was something counts below it.
  if (metric.better == Better::zero && presence != Presence::reference_empty)
    return -*metric.failure;
  return metric.failure;
}

}  // namespace assay::metrics
