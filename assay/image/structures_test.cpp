// SPDX-License-Identifier: Apache-2.0
#include "assay/image/structures.hpp"

#include <gtest/gtest.h>

#include <random>

namespace assay::structures_test {

Grid grid_of(const Shape& shape, const Point& origin = {}) {
  Grid out = {.shape = shape};
  for (std::size_t i = 0; i < 3; ++i) out.affine[i][3] = origin[i];
  return out;
}

TEST(Structures, set_bits_become_spans_wherever_they_start) {
  std::mt19937 random(1);
  for (const std::size_t count : std::vector<std::size_t>{1, 63, 64, 65, 300, 1000})
    for (std::size_t start = 0; start < 9; ++start) {
      std::vector<std::byte> bits((start + count + 7) / 8);
      for (auto& byte : bits) byte = static_cast<std::byte>(random() % 3 == 0 ? random() % 256 : 0);
      VoxelSpans spans;
      append_set_bits(spans, bits, start, count, 7);
      std::vector<bool> found(count, false);
      for (const VoxelSpan& span : spans)
        for (std::uint32_t at = span.first; at < span.end; ++at) found[at - 7] = true;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bit = start + i;
        ASSERT_EQ(found[i], (std::to_integer<unsigned>(bits[bit / 8]) >> (bit % 8) & 1U) != 0)
            << i << " of " << count << " from " << start;
      }
    }
}

TEST(Structures, spans_are_united_and_cover_the_grid_as_runs) {
  EXPECT_EQ(united({{5, 8}, {0, 2}, {7, 9}, {2, 3}}), (VoxelSpans{{0, 3}, {5, 9}}));
  EXPECT_EQ(runs_of(VoxelSpans{{0, 3}, {5, 9}}, 10),
            (std::vector<assay::Run>{{3, 1}, {5, 0}, {9, 1}, {10, 0}}));
  EXPECT_EQ(runs_of({}, 4), (std::vector<assay::Run>{{4, 0}}));
}

TEST(Structures, an_overlap_is_found) {
  StructureSet set = {.grid = grid_of({10, 1, 1}),
                      .structures = {{{1, "a"}, {{0, 3}}}, {{2, "b"}, {{3, 5}}}}};
  EXPECT_FALSE(overlap_in(set));
  set.structures[1].voxels = {{2, 5}};
  EXPECT_EQ(overlap_in(set), (std::array<Label, 2>{1, 2}));
}

TEST(Structures, the_common_grid_holds_both_and_spans_move_with_it) {
  const Grid a = grid_of({3, 2, 2}), b = grid_of({2, 2, 3}, {1, -1, 1});
  const auto both = common_grid(a, b);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->shape, (Shape{3, 3, 4}));
  EXPECT_EQ((Point{both->affine[0][3], both->affine[1][3], both->affine[2][3]}), (Point{0, -1, 0}));
  // Voxels (0, 0, 0) and (1, 0, 0) of b are (1, 0, 1) and (2, 0, 1) of both; (0, 1, 0) follows.
  const StructureSet placed = placed_on(*both, {.grid = b, .structures = {{{1, "a"}, {{0, 3}}}}});
  EXPECT_EQ(placed.structures[0].voxels, (VoxelSpans{{10, 12}, {13, 14}}));
  EXPECT_FALSE(common_grid(a, grid_of({2, 2, 2}, {0.5, 0, 0})));
  EXPECT_FALSE(common_grid(a, grid_of({2, 2, 2}, {1e9, 0, 0})));
}

TEST(Structures, axes_are_walked_whether_structures_overlap_or_not) {
  for (const VoxelSpans& second : {VoxelSpans{{3, 4}}, VoxelSpans{{0, 4}}}) {
    const StructureSet set = {.grid = grid_of({4, 1, 1}),
                              .structures = {{{1, "a"}, {{0, 2}}}, {{2, "b"}, second}}};
    const StructureSet flipped = walked_by({.flipped = {true, false, false}}, set);
    EXPECT_EQ(flipped.structures[0].voxels, (VoxelSpans{{2, 4}}));
    EXPECT_EQ(flipped.structures[1].voxels, (VoxelSpans{{0, second.front().first == 0 ? 4U : 1U}}));
  }
}

TEST(Structures, names_match_before_codes) {
  const std::vector<StructureName> reference = {{1, "Liver", "SCT 1"}, {2, "Spleen", "SCT 2"}};
  EXPECT_EQ(numbers_meant(std::vector<StructureName>{{7, "LIVER", "SCT 2"}}, reference, "Liver"),
            std::vector<Label>{7});
  EXPECT_EQ(numbers_meant(std::vector<StructureName>{{7, "organ", "SCT 1"}}, reference, "Liver"),
            std::vector<Label>{7});
  EXPECT_TRUE(numbers_meant(std::vector<StructureName>{{7, "Spleen", "SCT 1"}}, reference, "Liver")
                  .empty());
  EXPECT_TRUE(numbers_meant(std::vector<StructureName>{{7, "organ", ""}}, reference, "x").empty());
}

}  // namespace assay::structures_test
