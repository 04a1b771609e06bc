// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/mask_shapes.hpp"

#include <gtest/gtest.h>

#include "assay/error.hpp"

namespace assay::metrics::mask_shapes_test {

/// A row of voxels, 2 mm apart.
Volume<std::uint8_t> row_of(std::vector<std::uint8_t> voxels) {
  Grid grid{.shape = {voxels.size(), 1, 1}};
  grid.affine[0][0] = 2;
  return {grid, std::move(voxels)};
}

TEST(ScoreMasks, counts_boundaries_and_lesions_of_two_views) {
  const auto prediction = row_of({0, 1, 1, 0, 0, 0, 0, 0}),
             reference = row_of({0, 0, 9, 9, 0, 0, 0, 1});
  const ScoreSettings settings = {
      .model_name = "", .metrics = chosen_metrics("dice,hd,lesion_recall,volume_reference_ml")};
  const std::vector<Score> scores = score_masks(prediction.view(), reference.view(), settings);
  ASSERT_EQ(scores.size(), 4U);
  EXPECT_DOUBLE_EQ(*value(scores[0]), 2.0 * 1 / (2 + 3));  // one voxel in common of 2 and 3
  EXPECT_DOUBLE_EQ(*value(scores[1]), 10);                 // voxel 7 is 5 voxels of 2 mm from 2
  EXPECT_DOUBLE_EQ(*value(scores[2]), 0.5);                // one of two lesions is found
  EXPECT_DOUBLE_EQ(*value(scores[3]), 3 * 0.002);
}

TEST(ScoreMasks, empty_masks_are_undefined_by_their_rule) {
  const auto empty = row_of({0, 0, 0}), full = row_of({0, 1, 0});
  const ScoreSettings settings = {.metrics = chosen_metrics("hd95")};
  EXPECT_EQ(score_masks(empty.view(), full.view(), settings),
            std::vector<Score>{Undefined::prediction_empty});
  EXPECT_EQ(score_masks(full.view(), empty.view(), settings),
            std::vector<Score>{Undefined::reference_empty});
}

TEST(ScoreMasks, different_shapes_are_an_error) {
  const auto a = row_of({0, 1, 0}), b = row_of({0, 1});
  EXPECT_THROW(score_masks(a.view(), b.view(), {}), Error);
}

}  // namespace assay::metrics::mask_shapes_test
