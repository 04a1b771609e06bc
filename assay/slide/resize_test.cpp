// SPDX-License-Identifier: Apache-2.0
#include "assay/slide/resize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "assay/stats/random.hpp"

namespace resize_test {

using namespace assay;
using namespace assay::slide;

Picture noise(std::size_t width, std::size_t height) {
  Picture picture = Picture::filled(width, height);
  stats::Generator random(7);
  for (auto& byte : picture.rgb) byte = static_cast<std::uint8_t>(random.below(256));
  return picture;
}

Picture whole(const Picture& picture, std::size_t width, std::size_t height) {
  return resized(picture,
                 {0, 0, static_cast<double>(picture.width), static_cast<double>(picture.height)},
                 width, height);
}

double kernel(double x) {
  if (x == 0) return 1;
  if (std::abs(x) >= 3) return 0;
  const double p = std::numbers::pi * x;
  return 3 * std::sin(p) * std::sin(p / 3) / (p * p);
}

/// One value by the definition: all pixels, both axes at once, in doubles.
double slow(const Picture& picture, const PictureBox& box, double x, double y, double scale) {
  double sum = 0, weights = 0;
  for (std::size_t j = 0; j < picture.height; ++j)
    for (std::size_t i = 0; i < picture.width; ++i) {
      const double dx = static_cast<double>(i) + 0.5 - (box.x + (x + 0.5) * scale);
      const double dy = static_cast<double>(j) + 0.5 - (box.y + (y + 0.5) * scale);
      const double weight = kernel(dx / scale) * kernel(dy / scale);
      sum += weight * picture.at(i, j)[1];
      weights += weight;
    }
  return std::clamp(sum / weights, 0.0, 255.0);
}

TEST(Resize, same_size_is_the_same_picture) {
  const Picture picture = noise(31, 17);
  EXPECT_EQ(whole(picture, 31, 17), picture);
}

TEST(Resize, a_flat_picture_stays_flat) {
  for (const std::uint8_t grey : {0, 1, 127, 255})
    EXPECT_EQ(whole(Picture::filled(1000, 700, grey), 33, 21), Picture::filled(33, 21, grey));
  EXPECT_EQ(whole(Picture::filled(1, 1, 9), 1, 1), Picture::filled(1, 1, 9));
  EXPECT_EQ(whole(Picture::filled(5000, 2, 9), 10, 1), Picture::filled(10, 1, 9));
}

TEST(Resize, equals_the_definition) {
  const Picture picture = noise(60, 45);
  for (const PictureBox box : {PictureBox{0, 0, 60, 45}, PictureBox{10.25, 3.5, 40, 30}}) {
    const Picture small = resized(picture, box, 20, 15);
    const double scale = box.width / 20;
    for (std::size_t y = 0; y < 15; ++y)
      for (std::size_t x = 0; x < 20; ++x)
        EXPECT_NEAR(small.at(x, y)[1],
                    slow(picture, box, static_cast<double>(x), static_cast<double>(y), scale), 0.51)
            << x << ' ' << y;
  }
}

}  // namespace resize_test
