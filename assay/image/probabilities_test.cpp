// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::probabilities_test {

using test::append;
using test::FileBytes;
using test::NiftiFile;
using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A row of voxels, class by class.
Image classes(const std::vector<std::vector<float>>& volumes, double slope = 1) {
  NiftiFile file;
  file.dim = {4,
              static_cast<std::int64_t>(volumes.front().size()),
              1,
              1,
              static_cast<std::int64_t>(volumes.size()),
              1,
              1,
              1};
  file.datatype = 16;
  file.slope = slope;
  file.voxels.clear();
  for (const auto& volume : volumes)
    for (const float x : volume) append(file.voxels, x, false);
  return decode_image(file.bytes(), "x.nii", Volumes::classes);
}

std::vector<double> chances(const Image& image, const std::vector<Label>& members = {}) {
  Buffer scratch;
  return std::visit(
      [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
      probability_of(image, members, scratch).values);
}

TEST(Probabilities, kinds_are_told_by_the_numbers) {
  EXPECT_EQ(map_kind(classes({{0, 0.5F, 1}})), MapKind::probabilities);
  EXPECT_EQ(map_kind(classes({{0, 1, 1}})), MapKind::labels);
  EXPECT_EQ(map_kind(classes({{0, -2, 7}})), MapKind::labels);
  EXPECT_EQ(map_kind(classes({{0, 0.5F, 7}})), MapKind::other);
  EXPECT_EQ(map_kind(classes({{0, 1.5F}})), MapKind::other);
  EXPECT_EQ(map_kind(classes({{0, NAN}})), MapKind::other);
  EXPECT_EQ(map_kind(classes({{0, INFINITY}})), MapKind::other);
  EXPECT_EQ(map_kind(classes({{0, 128}}, 1.0 / 256)), MapKind::probabilities);
}

TEST(Probabilities, the_likeliest_class_is_the_label_and_ties_go_to_the_lower) {
  const Image image = classes({{0.5F, 0.2F, 0.25F}, {0.25F, 0.4F, 0.25F}, {0.25F, 0.4F, 0.5F}});
  Buffer scratch;
  std::vector<Label> values;
  const LabelView found = likeliest_labels(image, scratch, values);
  EXPECT_THAT(std::get<std::span<const std::uint8_t>>(found.codes), ElementsAre(0, 1, 2));
  EXPECT_THAT(values, ElementsAre(0, 1, 2));
}

TEST(Probabilities, a_region_is_the_sum_of_its_classes) {
  const Image image = classes({{0.5F, 0.25F}, {0.25F, 0.25F}, {0.25F, 0.5F}});
  EXPECT_THAT(chances(image), ElementsAre(0.5, 0.75));
  EXPECT_THAT(chances(image, {2}), ElementsAre(0.25, 0.5));
  EXPECT_THAT(chances(image, {0, 1, 2}), ElementsAre(1, 1));
  EXPECT_THAT(chances(image, {7, -1}), ElementsAre(0, 0));
  EXPECT_THAT(chances(classes({{0.25F, 1}}), {5}), ElementsAre(0.25, 1)) << "one volume is the map";
  EXPECT_THAT(chances(classes({{64, 256}}, 1.0 / 256)), ElementsAre(0.25, 1));
}

TEST(Probabilities, rounding_above_1_is_cut_and_more_is_refused) {
  EXPECT_THAT(chances(classes({{0}, {0.5005F}, {0.5F}})), ElementsAre(1));
  const Image image = classes({{0}, {0.75F}, {0.75F}});
  EXPECT_THAT(refusal([&] { chances(image); }), HasSubstr("add up to 1.5: they do not exclude"));
}

TEST(Probabilities, a_threshold_is_met_by_its_own_value) {
  Buffer scratch, other;
  const Image image = classes({{0.25F, 0.5F, 0.75F}});
  EXPECT_THAT(at_least(probability_of(image, {}, scratch), 0.5, other).voxels,
              ElementsAre(0, 1, 1));
}

TEST(Probabilities, the_first_number_that_is_none_is_named) {
  EXPECT_THAT(refusal([] {
                require_probabilities(classes({{0, 1}, {0.5F, 1.5F}}));
              }),
              HasSubstr("voxel (1, 0, 0) is 1.5, which is not a probability"));
  EXPECT_THAT(refusal([] { require_probabilities(classes({{0, NAN}})); }), HasSubstr("is nan"));
  EXPECT_EQ(refusal([] { require_probabilities(classes({{0, 1}})); }), "");
}

TEST(Probabilities, masks_are_made_of_one_volume_only) {
  Buffer scratch;
  std::vector<Label> values;
  const Image image = classes({{0, 1}, {1, 0}});
  EXPECT_THAT(refusal([&] { foreground(image, {}, scratch); }), HasSubstr("holds 2 volumes"));
  EXPECT_THAT(refusal([&] { labels(image, scratch, values); }), HasSubstr("holds 2 volumes"));
}

TEST(Probabilities, only_real_numbers_may_have_several_volumes) {
  NiftiFile file;
  file.dim = {4, 2, 2, 1, 3, 1, 1, 1};
  file.voxels = FileBytes(12);
  EXPECT_THAT(refusal([&] { decode_image(file.bytes(), "x", Volumes::classes); }),
              HasSubstr("holds 3 volumes (2x2x1x3)"));
}

}  // namespace assay::probabilities_test
