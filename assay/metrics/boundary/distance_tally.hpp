// SPDX-License-Identifier: Apache-2.0
/// How much of a surface lies at which distance. Every distance is exact and listed once.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "assay/metrics/boundary/many_distances.hpp"

namespace assay::metrics {

/// Weights by squared distance. On a grid few distances differ, so a surface of a million voxels
/// takes a few thousand entries, and nothing is rounded or binned. Far from a small target most
/// distances may differ. They are then too many for a table, and are sorted instead.
class DistanceTally {
 public:
  struct Entry {
    double squared = 0, weight = 0;
    bool operator==(const Entry&) const = default;
  };

  DistanceTally();
  void add(double squared, double weight) {
    if (is_small_whole(squared))
      add_whole(static_cast<std::size_t>(squared), weight);
    else
      add_other(squared, weight);
  }

  /// Adds one voxel. Once there are too many distances, whole numbers are no longer looked up,
  /// either; equal distances in both places are merged at the end.
  void add_voxel(double squared) {
    if (used_ < most_in_table)
      add_to_table(squared);
    else
      many_.add(squared);
  }

  /// In order of distance, without those of `take_many`.
  std::vector<Entry> sorted() const;
  /// The voxels that were too many for the table, in order.
  ManyDistances take_many();

 private:
  static constexpr double most_whole = 1 << 20;
  static constexpr std::size_t most_in_table = 1 << 16;

  static bool is_small_whole(double squared) {
    return squared < most_whole && squared == std::floor(squared);
  }

  void add_whole(std::size_t squared, double weight) {
    if (squared >= whole_.size()) whole_.resize(std::bit_ceil(squared + 1));
    whole_[squared] += weight;
  }
  void add_other(double squared, double weight) {
    Entry& entry = table_[first_slot(squared)];
    if (entry.squared == squared && entry.weight != 0)
      entry.weight += weight;
    else
      add_elsewhere(squared, weight);
  }
  std::size_t first_slot(double squared) const {
    // The upper bits: a number of few digits ends in zeros, and so does its product.
    const std::uint64_t mixed = std::bit_cast<std::uint64_t>(squared) * 0x9e3779b97f4a7c15;
    return mixed >> (64 - std::countr_zero(table_.size()));
  }
  /// Not in this header, so that `add_voxel` is small enough to become part of its callers' loops.
  void add_to_table(double squared);
  void add_elsewhere(double squared, double weight);
  std::size_t slot(double squared) const;
  void grow();

  std::vector<double>
      whole_;                 ///< weights by squared distance, for whole numbers that are not large
  std::vector<Entry> table_;  ///< all others; open addressing, a weight of 0 marks a free slot
  std::size_t used_ = 0;
  ManyDistances many_;
};

/// The distances from one surface to another, in mm, ascending; weights are counts or areas in mm2.
class DirectedDistances {
 public:
  DirectedDistances() = default;
  explicit DirectedDistances(DistanceTally tally);
  /// Both lists as one.
  static DirectedDistances pooled(const DirectedDistances& a, const DirectedDistances& b);

  double weight() const { return weight_; }
  double weighted_sum() const { return sum_; }   ///< of the distances
  double greatest() const { return greatest_; }  ///< 0 when there are none
  double within(double tolerance_mm) const;      ///< weight at no more than the tolerance
  /// np.percentile of the list in which each distance is repeated as often as its weight says.
  double percentile(double percent) const;
  /// The first distance up to which at least that share of the weight lies, apart from rounding.
  double percentile_step(double percent) const;

  /// Calls use(squared, weight) for every distance as long as it returns true. If skip(voxels)
  /// returns true, a group of that many voxels is left out; distances below it may come after it.
  template <class Use, class Skip = ManyDistances::SkipNothing>
  void for_each(const Use& use, const Skip& skip = {}) const;

 private:
  void sum_up();

  std::vector<DistanceTally::Entry> few_;
  ManyDistances many_;  ///< distances that were too many for a table; usually none
  double weight_ = 0, sum_ = 0, greatest_ = 0;
};

template <class Use, class Skip>
void DirectedDistances::for_each(const Use& use, const Skip& skip) const {
  bool goes_on = true;
  auto next = few_.begin();
  const auto use_below = [&](double squared) {
    for (; goes_on && next != few_.end() && next->squared < squared; ++next)
      goes_on = use(next->squared, next->weight);
  };
  const auto use_next = [&](double squared, double weight) {
    use_below(squared);
    if (next != few_.end() && next->squared == squared) weight += (next++)->weight;
    return goes_on = goes_on && use(squared, weight);
  };
  many_.for_each(use_next, skip);
  use_below(std::numeric_limits<double>::infinity());
}

}  // namespace assay::metrics
