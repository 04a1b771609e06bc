// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/regions.hpp"

#include <gmock/gmock.h>

namespace assay::model::regions_test {

using ::testing::ElementsAre;

TEST(PaintingOrder, goes_from_the_largest_region_to_the_smallest) {
  const auto order = painting_order({{"TC", {1, 4}}, {"WT", {1, 2, 4}}, {"ET", {4}}});
  EXPECT_THAT(order, ElementsAre(PaintedRegion{1, 2}, PaintedRegion{0, 1}, PaintedRegion{2, 4}));
}

TEST(PaintingOrder, regions_of_one_size_keep_the_order_of_the_channels) {
  const auto order = painting_order({{"a", {3}}, {"b", {5}}});
  EXPECT_THAT(order, ElementsAre(PaintedRegion{0, 3}, PaintedRegion{1, 5}));
  EXPECT_TRUE(painting_order({}).empty());
}

TEST(PaintingOrder, a_region_without_a_label_of_its_own_is_refused) {
  EXPECT_THROW(painting_order({{"a", {1}}, {"b", {2}}, {"both", {1, 2}}}), Error);
}

}  // namespace assay::model::regions_test
