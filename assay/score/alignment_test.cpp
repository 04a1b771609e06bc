// SPDX-License-Identifier: Apache-2.0
#include "assay/score/alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace alignment_test {

using namespace assay;
using namespace assay::score;
using testing::HasSubstr;

constexpr Grid reference = {.shape = {10, 12, 8},
                            .affine = {{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}}}};

Grid moved(double mm) {
  Grid grid = reference;
  grid.affine[1][3] += mm;
  return grid;
}

std::string message(const Grid& prediction, bool allow = false) {
  return test::refusal([&] { aligned(prediction, reference, allow); });
}

TEST(Alignment, rounding_is_silent_a_small_shift_warns_a_large_one_is_refused) {
  EXPECT_EQ(aligned(moved(0.0009), reference, false).warning, "");
  EXPECT_THAT(aligned(moved(0.1), reference, false).warning, HasSubstr("up to 0.1 mm"));
  EXPECT_THAT(message(moved(0.21)), HasSubstr("lie 0.21 mm apart"));
  EXPECT_THAT(message(moved(0.21)), HasSubstr("prediction: 10x12x8 voxels of 2x2x3 mm, RAS"));
}

TEST(Alignment, flips_and_permutations_are_resolved) {
  const Grid stored = reoriented(reference, {{2, 0, 1}, {true, false, true}});
  const Alignment a = aligned(stored, reference, false);
  EXPECT_EQ(a.warning, "");
  EXPECT_EQ(reoriented(stored, a.map).shape, reference.shape);
}

TEST(Alignment, another_shape_is_refused_even_when_affines_may_differ) {
  Grid other = reference;
  other.shape[0] = 11;
  EXPECT_THAT(message(other), HasSubstr("different shapes"));
  EXPECT_THAT(message(other, true), HasSubstr("different shapes"));
}

TEST(Alignment, an_ignored_affine_compares_in_storage_order) {
  Grid nonsense = reference;
  nonsense.affine = {{{-1, 0, 0, 50}, {0, -1, 0, 50}, {0, 0, 1, 0}}};
  EXPECT_NE(message(nonsense), "");
  EXPECT_TRUE(aligned(nonsense, reference, true).map.is_identity());
  EXPECT_THAT(aligned(nonsense, reference, true).warning, HasSubstr("ignored"));
}

TEST(Alignment, an_array_is_compared_index_by_index_and_takes_the_grid) {
  // Stored with the last index fastest, as NumPy does.
  const Grid array = {.shape = {8, 12, 10},
                      .affine = {{{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}},
                      .in_space = false};
  const Alignment of_prediction = aligned(array, reference, false);
  EXPECT_EQ(of_prediction.grid, reference);
  EXPECT_EQ(of_prediction.map, (AxisMap{.source = {2, 1, 0}}));
  EXPECT_THAT(of_prediction.warning, HasSubstr("by shape alone"));
  const Alignment of_reference = aligned(reference, array, false);
  EXPECT_EQ(of_reference.grid.shape, array.shape);
  EXPECT_EQ(spacing_mm(of_reference.grid), (Point{3, 2, 2}));
  const Alignment alone = aligned(array, array, false);
  EXPECT_TRUE(alone.map.is_identity());
  EXPECT_EQ(alone.warning, "");
  Grid other = array;
  other.shape = {12, 8, 10};
  EXPECT_THAT(message(other), HasSubstr("different shapes"));
  EXPECT_THAT(message(other), HasSubstr("12x8x10 voxels without a position in space"));
}

}  // namespace alignment_test
