// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/planes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.hpp"

namespace assay::planes_test {

using testing::HasSubstr;

DicomPlane axial(double z, double y = -30) {
  const double position[] = {-40, y, z}, orientation[] = {1, 0, 0, 0, 1, 0}, spacing[] = {2, 3};
  return plane_of(position, orientation, spacing);
}

std::string refusal(const std::vector<DicomPlane>& planes, std::optional<double> spacing = {}) {
  try {
    stack_of(planes, 4, 5, spacing);
    return "";
  } catch (const Error& e) {
    return e.sentence();
  }
}

TEST(Planes, become_a_grid_in_ras) {
  const PlaneStack stack = stack_of(std::vector{axial(15), axial(10), axial(30)}, 4, 5, {});
  EXPECT_EQ(stack.grid.shape, (Shape{4, 5, 5}));
  EXPECT_EQ(stack.slices, (std::vector<std::size_t>{1, 0, 4}));
  EXPECT_EQ(stack.grid.affine, (Affine{{{-3, 0, 0, 40}, {0, -2, 0, 30}, {0, 0, 5, 10}}}));
}

TEST(Planes, absent_ones_are_told_by_the_stated_spacing) {
  EXPECT_EQ(stack_of(std::vector{axial(0), axial(6)}, 4, 5, 2.0).grid.shape[2], 4U);
  EXPECT_EQ(stack_of(std::vector{axial(0), axial(6)}, 4, 5, 5.0).grid.shape[2], 2U);
  EXPECT_EQ(stack_of(std::vector{axial(0)}, 4, 5, 2.0).grid.affine[2][2], 2);
}

TEST(Planes, that_are_not_a_grid_are_refused) {
  EXPECT_THAT(refusal({axial(0), axial(2, -29)}), HasSubstr("tilted gantry"));
  EXPECT_THAT(refusal({axial(0), axial(2), axial(5)}), HasSubstr("not evenly spaced"));
  EXPECT_THAT(refusal({axial(0), axial(1), axial(1e9)}), HasSubstr("not evenly spaced"));
  EXPECT_THAT(refusal({}), HasSubstr("no frame"));
  EXPECT_THROW(plane_of(std::vector<double>{0, 0, 0}, std::vector<double>{1, 0, 0, 1, 0, 0},
                        std::vector<double>{1, 1}),
               Error);
}

}  // namespace assay::planes_test
