// SPDX-License-Identifier: Apache-2.0
// Masks and labels from images of every type, against the definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "assay/base/test_files.hpp"
#include "assay/image.hpp"
#include "assay/image/stored.hpp"

namespace assay::voxels_test {

using test::append;
using test::FileBytes;
using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
constexpr VoxelType type_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return VoxelType::u8;
  if constexpr (std::is_same_v<T, std::int8_t>) return VoxelType::i8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return VoxelType::u16;
  if constexpr (std::is_same_v<T, std::int16_t>) return VoxelType::i16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return VoxelType::u32;
  if constexpr (std::is_same_v<T, std::int32_t>) return VoxelType::i32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return VoxelType::u64;
  if constexpr (std::is_same_v<T, std::int64_t>) return VoxelType::i64;
  if constexpr (std::is_same_v<T, float>) return VoxelType::f32;
  return VoxelType::f64;
}

/// A row of voxels as an image.
template <class T>
Image row(const std::vector<T>& stored, const Scaling& scaling = {}, bool swapped = false) {
  FileBytes bytes;
  for (const T value : stored)
    append(bytes, value, swapped == (std::endian::native == std::endian::little));
  Buffer buffer;
  std::ranges::copy(bytes, buffer.resize(bytes.size()).begin());
  return {{.grid = {.shape = {stored.size(), 1, 1}},
           .type = type_of<T>(),
           .scaling = scaling,
           .byte_swapped = swapped},
          std::move(buffer),
          0};
}

std::vector<bool> mask(const Image& image, std::optional<double> threshold = {}) {
  Buffer scratch;
  const auto view = foreground(image, threshold, scratch);
  return {view.voxels.begin(), view.voxels.end()};
}

/// The definition, voxel by voxel.
template <class T>
std::vector<bool> expected_mask(const std::vector<T>& stored, const Scaling& scaling,
                                std::optional<double> threshold) {
  std::vector<bool> out;
  for (const T s : stored) {
    const long double value = scaling.is_identity()
                                  ? static_cast<long double>(s)
                                  : static_cast<double>(s) * scaling.slope + scaling.intercept;
    out.push_back(threshold ? value >= *threshold : value > 0);
  }
  return out;
}

/// Numbers where mistakes live: ends of the range, small ones, and anything.
template <class T>
std::vector<T> interesting(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> out = {T{0}, T{1}, T{2}, Limits::lowest(), Limits::max(), Limits::min()};
  if constexpr (std::is_floating_point_v<T>) {
    for (const T x : {Limits::denorm_min(), -Limits::denorm_min(), T{-0.0}, T{0.5}, T{-1}})
      out.push_back(x);
  }
  while (out.size() < 9000) {  // two whole blocks and a rest
    const auto bits = static_cast<Bits<T>>(random());
    const T any = std::bit_cast<T>(bits);
    if constexpr (std::is_floating_point_v<T>) {
      out.push_back(std::isfinite(any) && out.size() % 2 != 0 ? any : static_cast<T>(bits % 7));
    } else {
      out.push_back(out.size() % 2 != 0 ? any : static_cast<T>(bits % 7));
    }
  }
  return out;
}

template <class T>
class Foreground : public ::testing::Test {};
using StoredTypes =
    ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                     std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(Foreground, StoredTypes);

TYPED_TEST(Foreground, is_what_the_definition_says) {
  std::mt19937_64 random(42);
  const auto stored = interesting<TypeParam>(random);
  for (const Scaling& scaling : {Scaling{1, 0}, Scaling{0.1, 0}, Scaling{2, -3}, Scaling{-1, 4},
                                 Scaling{-0.5, 0}, Scaling{1, 1e18}, Scaling{1e-300, 0}})
    for (const auto& threshold : {std::optional<double>(), std::optional(0.5), std::optional(1.0),
                                  std::optional(-1e30), std::optional(1e300), std::optional(0.3)})
      for (const bool swapped : {false, true}) {
        if (std::is_same_v<TypeParam, double> && std::abs(scaling.slope) > 1) continue;  // overflow
        SCOPED_TRACE(::testing::Message() << scaling.slope << " " << scaling.intercept << " "
                                          << threshold.value_or(nan) << " " << swapped);
        EXPECT_EQ(mask(row(stored, scaling, swapped), threshold),
                  expected_mask(stored, scaling, threshold));
      }
}

TYPED_TEST(Foreground, nonzero_is_every_value_but_0) {
  std::mt19937_64 random(43);
  const auto stored = interesting<TypeParam>(random);
  for (const Scaling& scaling : {Scaling{1, 0}, Scaling{0.5, 0}, Scaling{0.5, -1}, Scaling{-1, 4}})
    for (const bool swapped : {false, true}) {
      std::vector<bool> expected;
      for (const TypeParam s : stored)
        expected.push_back(scaling.is_identity()
                               ? s != 0
                               : static_cast<double>(s) * scaling.slope + scaling.intercept != 0);
      Buffer scratch;
      const Image image = row(stored, scaling, swapped);
      const auto view = nonzero(image, scratch);
      EXPECT_EQ(std::vector<bool>(view.voxels.begin(), view.voxels.end()), expected)
          << scaling.slope << " " << scaling.intercept << " " << swapped;
    }
}

/// The definition: two different values besides 0, and one that is not whole.
template <class T>
bool is_map(const std::vector<T>& stored, const Scaling& scaling) {
  std::set<double> values;
  for (const T s : stored)
    values.insert(static_cast<double>(s) * scaling.slope + scaling.intercept);
  values.erase(0);
  return values.size() > 1 &&
         std::ranges::any_of(values, [](double v) { return v != std::trunc(v); });
}

/// Images of few values, each placed anywhere in its blocks.
TYPED_TEST(Foreground, maps_are_told_from_masks) {
  std::mt19937_64 random(44);
  const auto any_of = [&](const auto& list) { return list[random() % list.size()]; };
  const std::vector<double> shares = {0.5, 1, 2, 3, 0.25, 0.7, 1e9, -1, -0.5};
  std::size_t maps = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<TypeParam> stored(any_of(std::vector<std::size_t>{1, 100, 4096, 4097, 9000}));
    for (std::uint64_t n = random() % 4; n > 0; --n) {
      const double share = any_of(shares);
      const auto value = std::is_integral_v<TypeParam>
                             ? static_cast<TypeParam>(static_cast<std::int64_t>(share))
                             : static_cast<TypeParam>(share);
      for (std::uint64_t places = 1 + random() % 3; places > 0; --places)
        stored[random() % stored.size()] = value;
    }
    const Scaling scaling =
        any_of(std::vector<Scaling>{{1, 0}, {1, 0}, {0.5, 0}, {2, 1}, {1, 0.5}});
    Buffer scratch;
    const Image image = row(stored, scaling, repeat % 2 != 0);
    const JudgedMask found = judged_mask(image, scratch);
    EXPECT_EQ(found.is_map, is_map(stored, scaling)) << repeat;
    EXPECT_EQ(std::vector<bool>(found.foreground.voxels.begin(), found.foreground.voxels.end()),
              expected_mask(stored, scaling, {}));
    maps += found.is_map ? 1 : 0;
  }
  EXPECT_GT(maps, 10U);
}

TEST(Door, a_mask_of_any_one_value_is_no_map) {
  Buffer scratch;
  for (const float value : {0.7F, 255.0F, -0.5F, 1e20F}) {
    EXPECT_FALSE(judged_mask(row<float>({0, value, value}), scratch).is_map) << value;
    EXPECT_EQ(judged_mask(row<float>({0, value, 0.25F}), scratch).is_map, true) << value;
  }
  EXPECT_FALSE(judged_mask(row<float>({0, 1, 2, 3}), scratch).is_map);
  EXPECT_TRUE(judged_mask(row<std::uint8_t>({0, 1, 255}, {1.0 / 255, 0}), scratch).is_map);
}

TEST(Door, large_integers_are_compared_exactly) {
  const std::int64_t large = (std::int64_t{1} << 53) + 3;  // as a double it would round up
  EXPECT_THAT(mask(row<std::int64_t>({large, large + 1}), 0x1p53 + 4), ElementsAre(false, true));
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(mask(row<std::uint64_t>({most, 1, 0}), 0x1p64), ElementsAre(false, false, false));
  EXPECT_THAT(mask(row<std::uint64_t>({most, 1, 0})), ElementsAre(true, true, false));
}

TEST(Door, bytes_that_stand_for_themselves_are_not_copied) {
  Buffer scratch;
  for (const Scaling& scaling : {Scaling{}, Scaling{0.017 / 255, 0}}) {
    const Image image = row<std::uint8_t>({0, 1, 255}, scaling);
    const auto view = foreground(image, std::nullopt, scratch);
    EXPECT_EQ(static_cast<const void*>(view.voxels.data()), image.voxels().data());
  }
  const Image image = row<std::uint8_t>({0, 1, 255});
  EXPECT_EQ(static_cast<const void*>(foreground(image, 0.5, scratch).voxels.data()),
            image.voxels().data());
  EXPECT_NE(static_cast<const void*>(foreground(image, 2, scratch).voxels.data()),
            image.voxels().data());
}

TEST(Door, what_is_not_finite_is_counted_and_located) {
  std::vector<float> stored(10000);
  stored[9000] = static_cast<float>(nan);
  EXPECT_EQ(refusal([&] { mask(row(stored)); }),
            "1 voxel is NaN or infinite, the first at (9000, 0, 0); replace it (by 0 for "
            "background) and score again");
  stored[17] = static_cast<float>(inf);
  stored[18] = static_cast<float>(-inf);
  for (const bool swapped : {false, true})
    EXPECT_THAT(refusal([&] { mask(row(stored, {}, swapped), 0.5); }),
                HasSubstr("3 voxels are NaN or infinite, the first at (17, 0, 0); replace them"));
  EXPECT_THAT(refusal([&] { mask(row<double>({0, nan, 1})); }), HasSubstr("1 voxel is NaN"));
}

TEST(Door, what_is_not_finite_is_found_among_its_like) {
  std::vector<double> stored(5000);
  std::fill(stored.begin() + 600, stored.begin() + 3000, nan);
  for (const bool swapped : {false, true})
    EXPECT_THAT(refusal([&] { mask(row(stored, {}, swapped)); }),
                HasSubstr("2400 voxels are NaN or infinite, the first at (600, 0, 0)"));
}

TEST(Door, values_that_scaling_makes_infinite_are_refused) {
  EXPECT_THAT(refusal([&] {
                mask(row<double>({1, 1e300}, {1e300, 0}));
              }),
              HasSubstr("1 voxel is NaN or infinite, the first at (1, 0, 0)"));
  EXPECT_THAT(refusal([&] {
                mask(row<double>({-1e300, 1}, {-1e300, 0}));
              }),
              HasSubstr("1 voxel is NaN or infinite, the first at (0, 0, 0)"));
  EXPECT_THAT(refusal([&] {
                mask(row<std::uint64_t>({1, 1UL << 63}, {1e300, 0}));
              }),
              HasSubstr("1 voxel is NaN or infinite, the first at (1, 0, 0)"));
  EXPECT_THAT(mask(row<std::uint64_t>({1, 0}, {1e300, 0})), ElementsAre(true, false));
}

TEST(Door, threshold_that_is_no_number_is_refused) {
  EXPECT_EQ(refusal([] { mask(row<float>({1}), nan); }), "the threshold is not a number");
}

TEST(Door, places_count_x_first) {
  EXPECT_EQ(place({.shape = {3, 4, 5}}, 3 * 4 * 2 + 3 * 1 + 2), "(2, 1, 2)");
}

TEST(Door, long_numbers_round_to_the_nearest_double) {
  struct Case {
    std::uint64_t high, low;
    double value;
  };
  for (const Case& c :
       {Case{0x3fff000000000000, 0, 1}, Case{0xbfff000000000000, 0, -1},
        Case{0x3fff000000000000, 0x0800000000000000, 1},            // half a unit: to even
        Case{0x3fff000000000000, 0x0800000000000001, 1 + 0x1p-52},  // just above half
        Case{0x3fff000000000000, 0x1800000000000000, 1 + 0x1p-51},  // half again: to even
        Case{0x7fff000000000000, 0, inf}, Case{0xffff000000000000, 0, -inf},
        Case{0x7ffe000000000000, 0, inf}, Case{0x0000000000000000, 1, 0},
        Case{0x0001000000000000, 0, 0}, Case{0x4008f40000000000, 0, 1000}})
    EXPECT_EQ(nearest_double({c.low, c.high}), c.value) << std::hex << c.high;
  EXPECT_TRUE(std::isnan(nearest_double({1, 0x7fff000000000000})));
}

}  // namespace assay::voxels_test
