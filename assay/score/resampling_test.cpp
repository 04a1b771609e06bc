// SPDX-License-Identifier: Apache-2.0
#include "assay/score/resampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::score::resampling_test {

using metrics::Interpolation;
using ::testing::ElementsAre;

/// Voxels in a row, so wide each, of which the first begins at 0 mm.
Grid row(std::size_t voxels, double width_mm) {
  return {.shape = {voxels, 1, 1},
          .affine = {{{width_mm, 0, 0, width_mm / 2}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
}

constexpr Label names[] = {0, 5, 3};

LabelView view(const Grid& grid, std::span<const std::uint8_t> codes) {
  return {grid, codes, names};
}

std::vector<Label> labels_of(const OwnedLabels& labels) {
  std::vector<Label> out;
  for (const std::uint16_t code : labels.codes) out.push_back(labels.values[code]);
  return out;
}

TEST(Resampling, finer_voxels_take_the_nearest_label) {
  const std::uint8_t codes[] = {0, 1, 2};
  const auto found = resampled_labels(view(row(3, 2), codes), row(8, 1), Interpolation::nearest);
  EXPECT_THAT(labels_of(found), ElementsAre(0, 0, 5, 5, 3, 3, 0, 0));
  const auto evidence = resampling_evidence(view(row(3, 2), codes), found);
  EXPECT_EQ(evidence.before, 2);
  EXPECT_EQ(evidence.after, 4);
  EXPECT_EQ(evidence.changed, 0);
}

TEST(Resampling, between_two_voxels_the_upper_one_is_nearest) {
  const std::uint8_t codes[] = {0, 1, 2, 2};
  const auto found = resampled_labels(view(row(4, 1), codes), row(2, 2), Interpolation::nearest);
  EXPECT_THAT(labels_of(found), ElementsAre(5, 3));
  EXPECT_EQ(resampling_evidence(view(row(4, 1), codes), found).changed, 1);
}

TEST(Resampling, the_largest_weight_wins_and_the_lower_of_two_equal_labels) {
  const std::uint8_t codes[] = {1, 2, 2, 0};
  EXPECT_THAT(labels_of(resampled_labels(view(row(4, 1), codes), row(2, 2), Interpolation::linear)),
              ElementsAre(3, 0));
  const std::uint8_t three[] = {1, 1, 2};
  EXPECT_THAT(labels_of(resampled_labels(view(row(3, 2), three), row(6, 1), Interpolation::linear)),
              ElementsAre(5, 5, 5, 5, 3, 3));
}

TEST(Resampling, a_mask_has_one_label_whatever_its_codes) {
  constexpr Label of_mask[] = {0, 1};
  const std::uint8_t codes[] = {255, 0};
  const LabelView mask = {row(2, 1), std::span<const std::uint8_t>(codes), of_mask};
  EXPECT_THAT(labels_of(resampled_labels(mask, row(4, 0.5), Interpolation::nearest)),
              ElementsAre(1, 1, 0, 0));
}

TEST(Resampling, flips_and_rounding_need_none) {
  Grid flipped = row(4, 1);
  flipped.affine[0] = {-1, 0, 0, 3.5};
  EXPECT_FALSE(needs_resampling(flipped, row(4, 1)));
  EXPECT_TRUE(needs_resampling(row(4, 1), row(2, 2)));
  Grid array = row(2, 2);
  array.in_space = false;
  EXPECT_FALSE(needs_resampling(array, row(4, 1)));
}

}  // namespace assay::score::resampling_test
