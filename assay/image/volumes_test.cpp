// SPDX-License-Identifier: Apache-2.0
#include "assay/image/volumes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace assay::volumes_test {

using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two voxels with three numbers each.
Image three_volumes(const std::string& stored, bool interleaved) {
  ImageHeader header;
  header.grid.shape = {2, 1, 1};
  header.channels = 3;
  header.interleaved = interleaved;
  Buffer buffer;
  std::ranges::copy(test::bytes_of(stored), buffer.resize(stored.size()).begin());
  return {header, std::move(buffer), 0};
}

TEST(Volumes, one_of_several_is_taken_out) {
  EXPECT_THAT(values(one_volume(three_volumes("abcdef", false), 2, {})), ElementsAre('c', 'd'));
  EXPECT_THAT(values(one_volume(three_volumes("abcdef", true), 2, {})), ElementsAre('b', 'e'));
  EXPECT_THAT(refusal([] { one_volume(three_volumes("abcdef", true), 4, {}); }),
              HasSubstr("has 3 volumes, and volume 4"));
}

TEST(Volumes, the_highest_class_is_the_label_and_the_lower_of_two_equal_ones) {
  Buffer scratch;
  std::vector<Label> names;
  const LabelView found = highest_labels(three_volumes("abcbcb", false), scratch, names);
  EXPECT_THAT(std::get<std::span<const std::uint8_t>>(found.codes), ElementsAre(1, 0));
  EXPECT_THAT(names, ElementsAre(0, 1, 2));
}

}  // namespace assay::volumes_test
