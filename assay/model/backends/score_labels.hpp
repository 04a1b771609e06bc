// SPDX-License-Identifier: Apache-2.0
/// Labels from the scores of a network: classes that exclude each other, or regions that overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/executor.hpp"
#include "assay/model.hpp"
#include "assay/model/recipe/regions.hpp"

namespace assay::model {

/// Throws Error::input unless an output with this many channels can be labelled.
void require_classes(std::size_t classes);

/// Labels voxels piece by piece. Several channels are classes unless there are regions: the largest
/// score wins, and ties go to the lower class. A region, or a single channel, covers the voxels
/// whose probability is above the threshold, or whose logit is above the threshold's logit.
class ScoreLabeller {
 public:
  ScoreLabeller(const ScoreRules& rules, bool probabilities);

  /// `scores` are stored class by class, each as long as `labels`. Throws Error::input on NaN, and
  /// when the number of channels is not the number of regions.
  void label(std::span<const float> scores, std::span<std::uint8_t> labels,
             const Executor& executor);

  /// To be called after all voxels. Throws Error::input when it is unclear whether the scores are
  /// logits.
  void finish() const;

 private:
  void look_at(std::span<const float> scores, const Executor& executor);

  std::size_t regions_ = 0;
  std::vector<PaintedRegion> order_ = {};
  float limit_ = 0;
  bool probabilities_ = false, by_threshold_ = false;
  float least_ = std::numeric_limits<float>::infinity(), most_ = -least_;
};

}  // namespace assay::model
