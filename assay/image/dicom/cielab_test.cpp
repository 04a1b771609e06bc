// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/cielab.hpp"

#include <gtest/gtest.h>

namespace assay::cielab_test {

/// L*, a* and b* of the colour as DICOM stores them.
std::array<double, 3> stored(double lightness, double a, double b) {
  return {lightness * 65535 / 100, (a + 128) * 65535 / 255, (b + 128) * 65535 / 255};
}

TEST(Cielab, known_colours_of_srgb) {
  // L*a*b* (D65) of the primaries of sRGB, as colour calculators state them.
  EXPECT_EQ(color_of_cielab(stored(0, 0, 0)), (Color{0, 0, 0}));
  EXPECT_EQ(color_of_cielab(stored(100, 0, 0)), (Color{255, 255, 255}));
  EXPECT_EQ(color_of_cielab(stored(53.585, 0, 0)), (Color{128, 128, 128}));
  EXPECT_EQ(color_of_cielab(stored(53.2408, 80.0925, 67.2032)), (Color{255, 0, 0}));
  EXPECT_EQ(color_of_cielab(stored(87.7347, -86.1827, 83.1793)), (Color{0, 255, 0}));
  EXPECT_EQ(color_of_cielab(stored(32.2970, 79.1875, -107.8602)), (Color{0, 0, 255}));
}

TEST(Cielab, colours_outside_of_srgb_are_cut) {
  EXPECT_EQ(color_of_cielab({65535, 65535, 65535})[0], 255);
  EXPECT_EQ(color_of_cielab({0, 0, 0})[0], 0);
}

}  // namespace assay::cielab_test
