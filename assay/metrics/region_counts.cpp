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
      for (auto at = first_of(by_prediction_, label, &JointCount::prediction);
           at != by_prediction_.end() && at->prediction == label; ++at)
        (region.contains(at->reference) ? c.tp : c.fp) += at->voxels;
      for (auto at = first_of(by_reference_, label, &JointCount::reference);
           at != by_reference_.end() && at->reference == label; ++at)
        if (!region.contains(at->prediction)) c.fn += at->voxels;
    }
    c.tn = voxels_ - c.tp - c.fp - c.fn;
    return c;
  }

 private:
  using Rows = std::vector<JointCount>;

  static Rows::const_iterator first_of(const Rows& rows, Label label, Label JointCount::*side) {
    return std::ranges::lower_bound(rows, label, {}, side);
  }

  Rows by_prediction_, by_reference_;
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
