// SPDX-License-Identifier: Apache-2.0
/// How much of a surface lies at which distance: every distance, exactly, each once.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::metrics {

/// Weights by squared distance. On a grid few distances differ, so that a surface of a million
/// voxels takes a few thousand entries, and nothing is rounded or binned.
class DistanceTally {
 public:
  struct Entry {
    double squared = 0, weight = 0;
    bool operator==(const Entry&) const = default;
  };

  DistanceTally();
  void add(double squared, double weight) {
    if (squared < most_whole && squared == std::floor(squared))
      add_whole(static_cast<std::size_t>(squared), weight);
    else
      add_other(squared, weight);
  }

  /// By growing distance.
  std::vector<Entry> sorted() const;

 private:
  static constexpr double most_whole = 1 << 20;

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
  void add_elsewhere(double squared, double weight);
  std::size_t slot(double squared) const;
  void grow();

  std::vector<double>
      whole_;                 ///< weights by squared distance, for whole numbers that are not large
  std::vector<Entry> table_;  ///< all others; open addressing, a weight of 0 marks a free slot
  std::size_t used_ = 0;
};

/// The distances from one surface to another, in mm, ascending; weights are counts or areas in mm2.
class DirectedDistances {
 public:
  struct Step {
    double distance_mm = 0, weight = 0;
    bool operator==(const Step&) const = default;
  };

  DirectedDistances() = default;
  explicit DirectedDistances(const DistanceTally& tally);
  /// Both lists as one.
  static DirectedDistances pooled(const DirectedDistances& a, const DirectedDistances& b);

  bool empty() const { return steps_.empty(); }
  const std::vector<Step>& steps() const { return steps_; }
  double weight() const { return weight_; }
  double weighted_sum() const;               ///< of the distances
  double greatest() const;                   ///< 0 when there are none
  double within(double tolerance_mm) const;  ///< weight at no more than the tolerance
  /// np.percentile of the list in which each distance is repeated as often as its weight says.
  double percentile(double percent) const;
  /// The first distance up to which at least that share of the weight lies, but for rounding.
  double percentile_step(double percent) const;

 private:
  void sum_weights();

  std::vector<Step> steps_;
  double weight_ = 0;
};

}  // namespace assay::metrics
