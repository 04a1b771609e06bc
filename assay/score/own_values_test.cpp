// SPDX-License-Identifier: Apache-2.0
#include "assay/score/own_values.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "assay/own_metric.hpp"

namespace own_values_test {

using namespace assay;
using namespace assay::score;

/// A row of voxels as labels.
LabelView row_of(std::span<const std::uint8_t> codes) {
  static constexpr Label values[] = {0, 1, 2, 3};
  return {Grid{{codes.size(), 1, 1}}, codes, values};
}

TEST(OwnValues, masks_are_those_of_the_region_without_ignored_voxels) {
  const std::uint8_t prediction[] = {0, 1, 2, 1, 3, 1}, reference[] = {1, 1, 0, 2, 2, 3};
  std::vector<std::vector<std::uint8_t>> seen;
  metrics::OwnDeclaration declared = {.name = "look", .better = metrics::Better::neither};
  metrics::ScoreSettings settings;
  settings.ignored = 3;
  settings.metrics = {metrics::chosen_metric(
      metrics::own_metric(std::move(declared), [&](const metrics::LabelMasks& masks) {
        for (const auto& side : {masks.prediction.voxels, masks.reference.voxels})
          seen.emplace_back(side.begin(), side.end());
        return metrics::OwnValue{.value = 1, .message = std::string(masks.label)};
      }))};
  metrics::CaseRecord record = {.id = "a", .fate = metrics::Fate::scored, .error = {}};
  const metrics::Region region = {"whole", "whole", {1, 2}, true};
  record.counts[region.key] = {.tp = 1, .fp = 1, .fn = 1, .tn = 1};
  measure_own_metrics(row_of(prediction), row_of(reference), region, settings, record);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0], (std::vector<std::uint8_t>{0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(seen[1], (std::vector<std::uint8_t>{1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(record.own["whole"]["look"].message, "whole");
  record.counts[region.key] = {.tn = 4};
  measure_own_metrics(row_of(prediction), row_of(reference), region, settings, record);
  EXPECT_EQ(seen.size(), 2U) << "two empty masks need no call";
}

}  // namespace own_values_test
