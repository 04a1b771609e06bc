// SPDX-License-Identifier: Apache-2.0
#include "assay/image/reorient.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace assay::reorient_test {

template <class T>
class ReorientBytes : public testing::Test {};
using Widths = testing::Types<std::uint8_t, std::int16_t, float, double>;
TYPED_TEST_SUITE(ReorientBytes, Widths);

TYPED_TEST(ReorientBytes, equals_the_plain_walk_for_sizes_around_those_of_its_squares) {
  constexpr std::array<std::array<std::size_t, 3>, 6> orders = {
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{64, 32, 33}, Shape{65, 3, 31}, Shape{7, 129, 2},
                             Shape{2, 5, 127}, Shape{0, 3, 2}}) {
    Volume<TypeParam> stored(Grid{.shape = shape});
    for (std::size_t i = 0; i < stored.voxels().size(); ++i)
      stored.voxels()[i] = static_cast<TypeParam>(i * 7919 % 30011);
    for (const auto& order : orders)
      for (unsigned flips = 0; flips < 8; ++flips) {
        const AxisMap map = {order, {(flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0}};
        std::vector<TypeParam> moved(stored.voxels().size()), expected(moved.size());
        reorient_bytes(std::as_bytes(stored.voxels()), shape, map,
                       std::as_writable_bytes(std::span(moved)));
        reorient(stored.view(), map, std::span(expected));
        ASSERT_EQ(moved, expected);
      }
  }
}

}  // namespace assay::reorient_test
