// SPDX-License-Identifier: Apache-2.0
/// What is measured once per case, and what every metric is then a function of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace assay {

/// Voxel counts of one label or region against the rest.
struct Confusion {
  std::int64_t tp = 0, fp = 0, fn = 0, tn = 0;

  constexpr std::int64_t prediction() const { return tp + fp; }
  constexpr std::int64_t reference() const { return tp + fn; }
  constexpr std::int64_t total() const { return tp + fp + fn + tn; }
  constexpr bool operator==(const Confusion&) const = default;
};

/// What is kept of the distances from one surface to the other: the numbers that the metrics asked
/// for need, at full precision.
struct DirectedEvidence {
  double weight = 0;  ///< of the whole surface: voxels, or mm2
  double sum_mm = 0;  ///< of distance times weight
  double greatest_mm = 0;
  std::map<double, double> percentile_mm{};  ///< by percent
  std::map<double, double> within{};         ///< weight by tolerance in mm

  bool operator==(const DirectedEvidence&) const = default;
};

/// Two surfaces that both exist.
struct BoundaryEvidence {
  DirectedEvidence prediction{}, reference{};
  std::map<double, double> pooled_percentile_mm{};  ///< of both directions as one list
  std::int64_t common = 0, either = 0;              ///< border voxels of both masks, and of any

  bool operator==(const BoundaryEvidence&) const = default;
};

/// All that is known of one label in one case.
struct Evidence {
  Confusion counts;
  double voxel_ml = 0;                         ///< volume of one voxel of the reference
  std::optional<BoundaryEvidence> boundary{};  ///< if asked for, and neither mask is empty

  bool operator==(const Evidence&) const = default;
};

/// Which masks have anything in them.
enum class Presence { ok, reference_empty, prediction_empty, both_empty };

constexpr Presence presence(const Confusion& counts) {
  if (counts.reference() != 0)
    return counts.prediction() != 0 ? Presence::ok : Presence::prediction_empty;
  return counts.prediction() != 0 ? Presence::reference_empty : Presence::both_empty;
}

}  // namespace assay
