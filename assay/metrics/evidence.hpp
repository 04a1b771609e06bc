// SPDX-License-Identifier: Apache-2.0
/// What is measured once per case; every metric is a function of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::metrics {

/// Voxel counts of one label or region against the rest.
struct Confusion {
  std::int64_t tp = 0, fp = 0, fn = 0, tn = 0;

  constexpr std::int64_t prediction() const { return tp + fp; }
  constexpr std::int64_t reference() const { return tp + fn; }
  constexpr std::int64_t total() const { return tp + fp + fn + tn; }
  constexpr bool operator==(const Confusion&) const = default;
};

/// What is kept of the distances from one surface to the other: the numbers that the requested
/// metrics need, at full precision.
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

/// A connected component of a mask, and what it was matched with on the other side.
struct MatchedLesion {
  std::int64_t voxels = 0;
  std::array<double, 3> centroid_mm{};
  bool matched = false;                   ///< detected, or of a prediction: true
  std::vector<std::uint32_t> partners{};  ///< numbers on the other side, from 0
  double dice = 0;                        ///< of a reference's lesion with all of its partners
  std::optional<double> hd95_mm{};        ///< likewise; if asked for, and it has partners

  bool operator==(const MatchedLesion&) const = default;
};

/// Lesions of the reference by size: the first has no lower limit, the last no upper one.
inline constexpr std::array<double, 4> lesion_bins_ml = {0.1, 1, 10, 100};

struct LesionBin {
  std::int64_t lesions = 0, detected = 0;

  bool operator==(const LesionBin&) const = default;
};

/// All lesions of both masks under one rule of matching.
struct LesionEvidence {
  std::int64_t references = 0, predictions = 0;  ///< lesions
  std::int64_t detected = 0, confirmed = 0;      ///< of the reference, of the prediction
  double dice_sum = 0;                           ///< of the reference's lesions; a missed one has 0
  double hd95_sum_mm = 0;                        ///< of those detected, if asked for
  double iou_sum = 0;  ///< of the pairs with IoU > 0.5 (panoptica: >= 0.5), one to one
  std::int64_t iou_pairs = 0;
  double penalty_mm = 0;     ///< what the distance of a missed or false lesion counts
  bool harmonic_f1 = false;  ///< F1 from precision and recall, not from counts of lesions
  std::array<LesionBin, lesion_bins_ml.size() + 1> by_size{};
  std::vector<MatchedLesion> reference{}, prediction{};  ///< the first thousand of each

  std::int64_t missed() const { return references - detected; }
  std::int64_t false_alarms() const { return predictions - confirmed; }
  bool operator==(const LesionEvidence&) const = default;
};

/// Thresholds at which overlap is reported: foreground is a probability of at least that much.
inline constexpr std::array<double, 19> sweep_thresholds = {
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5,
    0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};

/// Voxels that are foreground at some threshold.
struct SweepCounts {
  std::int64_t tp = 0, fp = 0;

  bool operator==(const SweepCounts&) const = default;
};

/// Bins of equal width; each holds its upper end, and the first holds 0 too.
inline constexpr std::size_t calibration_bins = 15;

struct CalibrationBin {
  std::int64_t voxels = 0, positives = 0;
  double sum = 0;  ///< of probabilities

  bool operator==(const CalibrationBin&) const = default;
};

/// How a map of probabilities orders the voxels of a reference, and how far it can be believed.
struct ProbabilityEvidence {
  std::int64_t voxels = 0, positives = 0;  ///< positives: foreground of the reference
  double pairs_won = 0;      ///< of a positive and a negative voxel; a tie is half a pair
  double precision_sum = 0;  ///< over positive voxels, of the precision at their probability
  double squared_error = 0;
  std::array<CalibrationBin, calibration_bins> bins{};
  std::array<SweepCounts, sweep_thresholds.size()> sweep{};

  std::int64_t negatives() const { return voxels - positives; }
  bool operator==(const ProbabilityEvidence&) const = default;
};

/// Everything that is known about one label in one case.
struct Evidence {
  Confusion counts;
  double voxel_ml = 0;                               ///< volume of one voxel of the reference
  std::optional<BoundaryEvidence> boundary{};        ///< if asked for, and neither mask is empty
  std::optional<LesionEvidence> lesions{};           ///< if asked for, and not both masks are empty
  std::optional<ProbabilityEvidence> probability{};  ///< if asked for, and the prediction has any
  bool is_uncut_map = false;  ///< the prediction is a map without threshold: no mask, no counts

  bool operator==(const Evidence&) const = default;
};

/// Which masks are not empty.
enum class Presence { ok, reference_empty, prediction_empty, both_empty };

inline constexpr std::array all_presence = {Presence::ok, Presence::reference_empty,
                                            Presence::prediction_empty, Presence::both_empty};

/// The spelling used in JSON: the status of a label.
constexpr std::string_view name(Presence presence) {
  constexpr std::string_view names[] = {"ok", "reference_empty", "prediction_empty", "both_empty"};
  return names[static_cast<std::size_t>(presence)];
}

constexpr Presence presence(const Confusion& counts) {
  if (counts.reference() != 0)
    return counts.prediction() != 0 ? Presence::ok : Presence::prediction_empty;
  return counts.prediction() != 0 ? Presence::reference_empty : Presence::both_empty;
}

}  // namespace assay::metrics
