// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/model.hpp"

namespace cleaning_test {

using namespace assay;
using namespace assay::model;

using Labels = std::vector<std::uint8_t>;

Labels cleaned_row(const Labels& labels, const Recipe& recipe, double spacing = 1) {
  const Grid grid = {.shape = {labels.size(), 1, 1},
                     .affine = {{{spacing, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
  const Volume<std::uint8_t> volume(grid, labels);
  const Volume<std::uint8_t> clean = cleaned(volume.view(), recipe);
  return {clean.view().voxels.begin(), clean.view().voxels.end()};
}

TEST(Cleaned, leaves_labels_alone_unless_told) {
  EXPECT_EQ(cleaned_row({1, 0, 2, 2, 0, 1}, {.name = "none"}), (Labels{1, 0, 2, 2, 0, 1}));
}

TEST(Cleaned, keeps_the_largest_piece_of_each_class_and_the_first_of_equals) {
  const Recipe recipe = {.name = "largest", .largest_component = true};
  EXPECT_EQ(cleaned_row({1, 1, 0, 1, 255, 0, 255, 255}, recipe),
            (Labels{1, 1, 0, 0, 0, 0, 255, 255}));
  EXPECT_EQ(cleaned_row({1, 0, 1, 0, 2}, recipe), (Labels{1, 0, 0, 0, 2}));
}

TEST(Cleaned, measures_pieces_in_millilitres) {
  const Recipe recipe = {.name = "small", .min_volume_ml = 0.002};
  EXPECT_EQ(cleaned_row({1, 1, 0, 1, 0, 0}, recipe), (Labels{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(cleaned_row({1, 1, 0, 1, 0, 0}, recipe, 2), (Labels{1, 1, 0, 1, 0, 0}));
}

TEST(Cleaned, knows_three_kinds_of_neighbours) {
  const auto kept = [](unsigned connectivity, std::size_t second) {
    Labels labels(8);
    labels[0] = labels[second] = 1;
    const Recipe recipe = {.name = "c", .min_volume_ml = 0.002, .connectivity = connectivity};
    const Volume<std::uint8_t> volume(Grid{.shape = {2, 2, 2}}, labels);
    const Volume<std::uint8_t> clean = cleaned(volume.view(), recipe);
    return clean.view().voxels[0] == 1;
  };
  EXPECT_TRUE(kept(6, 1) && !kept(6, 3) && !kept(6, 7));
  EXPECT_TRUE(kept(18, 1) && kept(18, 3) && !kept(18, 7));
  EXPECT_TRUE(kept(26, 1) && kept(26, 3) && kept(26, 7));
}

}  // namespace cleaning_test
