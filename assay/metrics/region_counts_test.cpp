// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/region_counts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace assay::metrics::region_counts_test {

/// A histogram over labels -2 to 5, some of them without voxels.
std::vector<JointCount> random_counts(std::mt19937& random) {
  std::map<std::pair<Label, Label>, std::int64_t> voxels;
  for (std::size_t i = 0; i < random() % 20; ++i)
    voxels[{static_cast<Label>(random() % 8) - 2, static_cast<Label>(random() % 8) - 2}] +=
        static_cast<std::int64_t>(1 + random() % 9);
  std::vector<JointCount> out;
  for (const auto& [labels, count] : voxels) out.push_back({labels.first, labels.second, count});
  return out;
}

TEST(RegionCounts, equal_those_of_one_region_at_a_time) {
  std::mt19937 random(1);
  const std::vector<Region> regions = {foreground_region(),       {"1", "1", {1}},
                                       {"0", "0", {0}},           {"-2", "-2", {-2}},
                                       {"all", "all", {1, 2, 5}}, {"twice", "twice", {2, 2, 3}},
                                       {"none", "none", {77}}};
  for (int i = 0; i < 500; ++i) {
    const auto counts = random_counts(random);
    for (const std::optional<Label> ignored : {std::optional<Label>(), std::optional<Label>(1)}) {
      const auto all = confusions(counts, regions, ignored);
      ASSERT_EQ(all.size(), regions.size());
      for (std::size_t r = 0; r < regions.size(); ++r)
        EXPECT_EQ(all[r], confusion(counts, regions[r], ignored)) << regions[r].key;
    }
  }
}

}  // namespace assay::metrics::region_counts_test
