// SPDX-License-Identifier: Apache-2.0
/// From voxels to counts, in one pass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/image/label_view.hpp"
#include "assay/image/volume.hpp"
#include "assay/metrics/evidence.hpp"

namespace assay::metrics {

/// Counts two masks in which non-zero is foreground. The views must have the same number of voxels
/// in the same order; whether they lie on the same grid is for the caller to have settled.
Confusion count_foreground(std::span<const std::uint8_t> prediction,
                           std::span<const std::uint8_t> reference);

/// How many words `pack_foreground` needs for so many voxels.
constexpr std::size_t packed_words(std::size_t voxels) {
  return (voxels + 63) / 64;
}

/// A mask as one bit per voxel, the first voxel lowest; bits after the last voxel are 0. A packed
/// mask is small enough to wait in the cache while the other file is read over the same memory.
void pack_foreground(std::span<const std::uint8_t> mask, std::span<std::uint64_t> bits);

/// The same counts against a packed reference.
Confusion count_foreground(std::span<const std::uint8_t> prediction,
                           std::span<const std::uint64_t> reference_bits);

/// How many voxels the prediction gives one label and the reference another.
struct JointCount {
  Label prediction = 0, reference = 0;
  std::int64_t voxels = 0;

  bool operator==(const JointCount&) const = default;
};

/// The joint histogram of two label maps, ascending, without zero entries: one pass over the voxels
/// from which the counts of every label, every region and any ignored label follow.
std::vector<JointCount> joint_counts(const LabelView& prediction, const LabelView& reference);

/// What is scored as one: a label, a union of labels, or everything above zero.
struct Region {
  std::string key;             ///< spelling in results: "1", "whole", "foreground"
  std::string name;            ///< for people; equal to the key when no better one is known
  std::vector<Label> members;  ///< ascending; empty for the foreground: every value above zero
  bool is_union = false;       ///< a region: labels that were named together, one or several

  bool contains(Label label) const;
  bool operator==(const Region&) const = default;
};

/// The key and name of the region that is scored when nothing else is asked for.
Region foreground_region();

/// Counts of one region against the rest. Voxels whose reference is `ignored` leave every count.
Confusion confusion(std::span<const JointCount> counts, const Region& region,
                    std::optional<Label> ignored = std::nullopt);

/// Ascending, each once.
std::vector<Label> distinct(std::vector<Label> labels);

/// Labels that occur in each of two maps, the background included; ascending.
struct OccurringLabels {
  std::vector<Label> prediction{}, reference{};

  bool operator==(const OccurringLabels&) const = default;
};

OccurringLabels occurring_labels(std::span<const JointCount> counts);

/// Every label but the background that occurs in either map, ascending.
std::vector<Label> labels_in(std::span<const JointCount> counts);

}  // namespace assay::metrics
