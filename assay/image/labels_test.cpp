// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>

#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::labels_test {

using test::append;
using test::FileBytes;
using test::NiftiFile;
using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
Image row(int datatype, const std::vector<T>& stored, double slope = 1, double intercept = 0,
          bool big_endian = false) {
  NiftiFile file{.version = 2,
                 .big_endian = big_endian,
                 .datatype = datatype,
                 .slope = slope,
                 .intercept = intercept};
  file.dim = {3, static_cast<std::int64_t>(stored.size()), 1, 1, 1, 1, 1, 1};
  file.voxels.clear();
  for (const T value : stored) append(file.voxels, value, big_endian);
  return decode_image(file.bytes(), "row");
}

struct Read {
  std::vector<Label> labels;  ///< of every voxel
  std::vector<Label> values;
  bool is_wide;
};

Read read(const Image& image) {
  Buffer scratch;
  std::vector<Label> names;
  const LabelView view = labels(image, scratch, names);
  Read out;
  out.values.assign(view.values.begin(), view.values.end());
  out.is_wide = view.codes.index() == 1;
  out.labels = per_voxel(view, [&](std::size_t code) { return view.values[code]; });
  return out;
}

TEST(Labels, plain_bytes_are_their_own_codes) {
  const Image image = row<std::uint8_t>(2, {0, 3, 255});
  Buffer scratch;
  std::vector<Label> names;
  const LabelView view = labels(image, scratch, names);
  const auto codes = std::get<0>(view.codes);
  EXPECT_EQ(static_cast<const void*>(codes.data()), image.voxels().data());
  ASSERT_EQ(view.values.size(), 256U);
  EXPECT_EQ(view.values[255], 255);
}

TEST(Labels, codes_run_in_the_order_of_the_labels_that_occur) {
  for (const bool big : {false, true}) {
    const Read narrow = read(row<std::int16_t>(4, {5, -3, 5, 1000}, 1, 0, big));
    EXPECT_THAT(narrow.labels, ElementsAre(5, -3, 5, 1000));
    EXPECT_THAT(narrow.values, ElementsAre(-3, 5, 1000));
    const Read wide = read(row<std::int32_t>(8, {70000, 0, 0, -2}, 1, 0, big));
    EXPECT_THAT(wide.labels, ElementsAre(70000, 0, 0, -2));
    EXPECT_THAT(wide.values, ElementsAre(-2, 0, 70000));
    const Read real = read(row<float>(16, {2, 1, 1, -0.0F}, 1, 0, big));
    EXPECT_THAT(real.labels, ElementsAre(2, 1, 1, 0));
  }
  EXPECT_THAT(read(row<std::int8_t>(256, {-1, 1})).labels, ElementsAre(-1, 1));
  EXPECT_THAT(read(row<double>(64, {3, 0})).values, ElementsAre(0, 3));
}

TEST(Labels, far_apart_labels_are_exact) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::lowest(), large = (1L << 53) + 1;
  const Read some = read(row<std::int64_t>(1024, {large, 0, least, large, large + 1}));
  EXPECT_THAT(some.labels, ElementsAre(large, 0, least, large, large + 1));
  EXPECT_THAT(some.values, ElementsAre(least, 0, large, large + 1));
  EXPECT_THAT(read(row<std::uint32_t>(768, {4294967295U, 7})).labels, ElementsAre(4294967295, 7));
}

TEST(Labels, scaling_is_applied_and_may_merge_stored_numbers) {
  EXPECT_THAT(read(row<std::uint8_t>(2, {0, 1, 2}, 10, 5)).values, ElementsAre(5, 15, 25));
  EXPECT_THAT(read(row<std::int16_t>(4, {2, 4}, 0.5, 0)).labels, ElementsAre(1, 2));
  EXPECT_THAT(read(row<std::uint8_t>(2, {0, 1, 2}, 1, 0x1p60)).values.size(), 1U);
  EXPECT_THAT(read(row<float>(16, {0.5F, 1.5F}, 2, 0)).labels, ElementsAre(1, 3));
}

TEST(Labels, more_than_256_take_the_wide_form) {
  std::vector<std::int32_t> stored(300);
  std::iota(stored.begin(), stored.end(), -100);
  const Read wide = read(row(8, stored));
  EXPECT_TRUE(wide.is_wide);
  EXPECT_EQ(wide.labels, std::vector<Label>(stored.begin(), stored.end()));
  std::vector<std::uint16_t> narrow(stored.begin() + 100, stored.end());
  EXPECT_FALSE(read(row(512, narrow)).is_wide);
  std::vector<std::int16_t> shorts(stored.begin(), stored.end());
  EXPECT_TRUE(read(row(4, shorts)).is_wide);
}

TEST(Labels, up_to_65536_are_taken_and_no_more) {
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{1} << 30}) {
    std::vector<std::int64_t> stored(65536);
    for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::int64_t>(i) * step;
    EXPECT_EQ(read(row(1024, stored)).labels, std::vector<Label>(stored.begin(), stored.end()));
    stored.push_back(-1);
    EXPECT_THAT(refusal([&] { read(row(1024, stored)); }),
                HasSubstr("holds more than 65536 different labels"));
  }
}

TEST(Labels, what_is_no_whole_number_is_named) {
  const std::string why =
      ", which is not a whole number that can be a label; if this is a "
      "map, such as one of probabilities, give --threshold T or --foreground nonzero instead of "
      "labels";
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal([] {
              read(row<float>(16, {1, 0.5F, 0.25F}));
            }),
            "voxel (1, 0, 0) is 0.5" + why);
  EXPECT_EQ(refusal([] { read(row<double>(64, {nan})); }), "voxel (0, 0, 0) is nan" + why);
  EXPECT_EQ(refusal([] { read(row<double>(64, {0, 1e30})); }), "voxel (1, 0, 0) is 1e+30" + why);
  EXPECT_EQ(refusal([] {
              read(row<std::uint64_t>(1280, {0, ~0UL}));
            }),
            "voxel (1, 0, 0) is 18446744073709551615" + why);
  EXPECT_EQ(refusal([] {
              read(row<std::int16_t>(4, {4, 3, 1}, 0.5));
            }),
            "voxel (1, 0, 0) is 1.5" + why);
}

}  // namespace assay::labels_test
