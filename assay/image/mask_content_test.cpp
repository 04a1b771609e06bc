// SPDX-License-Identifier: Apache-2.0
#include "assay/image/mask_content.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace mask_content_test {

using namespace assay;

template <class T>
Image image_of(const std::vector<T>& stored, VoxelType type, const Scaling& scaling = {}) {
  Buffer buffer;
  std::memcpy(buffer.resize(stored.size() * sizeof(T)).data(), stored.data(),
              stored.size() * sizeof(T));
  return {{.grid = {.shape = {stored.size(), 1, 1}}, .type = type, .scaling = scaling},
          std::move(buffer),
          0};
}

/// `different` values, each in a run of `run` voxels.
std::vector<std::uint8_t> runs(std::size_t different, std::size_t run) {
  std::vector<std::uint8_t> out;
  for (std::size_t value = 0; value < different; ++value)
    out.insert(out.end(), run, static_cast<std::uint8_t>(value));
  return out;
}

TEST(MaskContent, more_than_128_values_in_8_bits_are_many) {
  for (const std::size_t run : {1U, 3U, 64U, 100U}) {
    EXPECT_FALSE(has_many_values(image_of(runs(128, run), VoxelType::u8))) << run;
    EXPECT_TRUE(has_many_values(image_of(runs(129, run), VoxelType::u8))) << run;
    EXPECT_TRUE(has_many_values(image_of(runs(129, run), VoxelType::i8))) << run;
  }
  std::vector<std::int16_t> wide(300);
  std::iota(wide.begin(), wide.end(), std::int16_t{0});
  EXPECT_FALSE(has_many_values(image_of(wide, VoxelType::i16)));
}

TEST(MaskContent, negative_values_alone) {
  const auto only = [](const std::vector<std::int16_t>& stored, const Scaling& scaling = {}) {
    return has_only_negative_values(image_of(stored, VoxelType::i16, scaling));
  };
  EXPECT_TRUE(only({0, -1, 0, -3}));
  EXPECT_FALSE(only({0, -1, 1}));
  EXPECT_FALSE(only({0, 0}));
  EXPECT_TRUE(only({0, 1, 2}, {-1, 0}));
}

TEST(MaskContent, a_map_is_shown_by_two_values) {
  EXPECT_EQ(map_values(image_of<float>({0, 1, 0.25F, 0.5F}, VoxelType::f32)),
            "0.25 at voxel (2, 0, 0) and 1 at voxel (1, 0, 0)");
}

}  // namespace mask_content_test
