// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/region_counts.hpp"

#include <algorithm>

namespace assay::metrics {
namespace {

/// The joint histogram, to be looked up by either side.
class JointTable {
 public:
  JointTable(std::span<const JointCount> counts, std::optional<Label> ignored) {
    for (const JointCount& joint : counts)
      if (joint.reference != ignored) by_prediction_.push_back(joint);
    by_reference_ = by_prediction_;
    std::ranges::stable_sort(by_reference_, {}, &JointCount::reference);
    for (const JointCount& joint : by_prediction_) voxels_ += joint.voxels;
  }

  Confusion of(const Region& region) const {
    Confusion c;
    for (std::size_t i = 0; i < region.members.size(); ++i) {
      const Label label = region.members[i];
      if (i > 0 && label == region.members[i - 1]) continue;
      for (const auto& joint :
           std::ranges::equal_range(by_prediction_, label, {}, &JointCount::prediction))
        (region.contains(joint.reference) ? c.tp : c.fp) += joint.voxels;
      for (const auto& joint :
           std::ranges::equal_range(by_reference_, label, {}, &JointCount::reference))
        if (!region.contains(joint.prediction)) c.fn += joint.voxels;
    }
    c.tn = voxels_ - c.tp - c.fp - c.fn;
    return c;
  }

 private:
  std::vector<JointCount> by_prediction_, by_reference_;
  std::int64_t voxels_ = 0;
};

}  // namespace

std::vector<Confusion> confusions(std::span<const JointCount> counts,
                                  std::span<const Region> regions, std::optional<Label> ignored) {
  const JointTable table(counts, ignored);
  std::vector<Confusion> out;
  out.reserve(regions.size());
  for (const Region& region : regions)
    out.push_back(region.members.empty() ? confusion(counts, region, ignored) : table.of(region));
  return out;
}

}  // namespace assay::metrics
