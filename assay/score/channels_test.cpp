// SPDX-License-Identifier: Apache-2.0
#include "assay/score/channels.hpp"

#include <gmock/gmock.h>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/error.hpp"

namespace assay::score::channels_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(GroupedChannels, files_that_differ_in_the_number_are_one_image) {
  const auto images = grouped_channels(
      {"b_0001.nii.gz", "a_0000.nii.gz", "b_0000.nii.gz", "a_0001.nrrd", "x/c_0000.nii"}, 2);
  ASSERT_EQ(images.size(), 3U);
  EXPECT_EQ(images[0].stem, "a");
  EXPECT_THAT(images[0].paths, ElementsAre("a_0000.nii.gz", "a_0001.nrrd"));
  EXPECT_THAT(images[1].paths, ElementsAre("b_0000.nii.gz", "b_0001.nii.gz"));
  EXPECT_EQ(images[1].missing, "");
  EXPECT_EQ(images[2].stem, "x/c");
  EXPECT_EQ(images[2].missing, "x/c_0001.nii");
}

TEST(GroupedChannels, a_gap_is_missing_whatever_was_expected) {
  const auto images = grouped_channels({"a_0000.nii", "a_0003.nii"}, 2);
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(images[0].missing, "a_0001.nii");
}

TEST(GroupedChannels, one_channel_and_names_without_numbers_stay_single) {
  EXPECT_EQ(grouped_channels({"a_0000.nii", "a_0001.nii"}, 1).size(), 2U);
  const auto images = grouped_channels({"a.nii", "b_12.nii", "c0001.nii", "d_2019.nii"}, 3);
  ASSERT_EQ(images.size(), 4U);
  for (const ChannelFiles& image : images) EXPECT_EQ(image.missing, "");
}

TEST(GroupedChannels, two_files_for_one_channel_are_refused) {
  EXPECT_THROW(grouped_channels({"a_0000.nii", "a_0000.nii.gz"}, 2), Error);
}

TEST(ChannelsByNames, references_tell_numbers_of_channels_from_numbers_of_cases) {
  EXPECT_EQ(channels_by_names({"a_0000.nii", "a_0001.nii"}, {"a.nii"}), 2U);
  EXPECT_EQ(channels_by_names({"a_0000.nii", "a_0001.nii"}, {"a_0000.nii", "a_0001.nii"}), 1U);
  EXPECT_EQ(channels_by_names({"a_0000.nii", "b.nii"}, {"a.nii"}), 1U);
  EXPECT_EQ(channels_by_names({"a_0000.nii"}, {"a.nii"}), 1U);
  EXPECT_EQ(channels_by_names({"a_0000.nii", "a_0001.nii"}, {"other.nii"}), 1U);
}

TEST(ListedChannels, a_file_that_has_a_semicolon_in_its_name_is_one) {
  const TemporaryFolder folder;
  EXPECT_THAT(listed_channels("a;b", "r"), ElementsAre(fs::path("r/a"), fs::path("r/b")));
  EXPECT_THAT(listed_channels("a ; b", ""), ElementsAre(fs::path("a"), fs::path("b")));
  write_atomically(folder / "a;b", "");
  EXPECT_THAT(listed_channels("a;b", folder.path()), ElementsAre(folder / "a;b"));
}

TEST(ChannelsSha256, follows_the_order_and_the_content_of_all_files) {
  const TemporaryFolder folder;
  const fs::path a = folder / "a", b = folder / "b";
  write_atomically(a, "1");
  write_atomically(b, "2");
  EXPECT_EQ(channels_sha256({a}), sha256_of_file(a));
  const std::string both = channels_sha256({a, b});
  EXPECT_NE(both, channels_sha256({b, a}));
  write_atomically(b, "3");
  EXPECT_NE(both, channels_sha256({a, b}));
}

TEST(HasContent, a_first_channel_is_known_by_the_hash_of_all) {
  const TemporaryFolder folder;
  const fs::path one = folder / "a_0000.nii", two = folder / "a_0001.nii";
  write_atomically(one, "1");
  write_atomically(two, "2");
  const std::string both = channels_sha256({one, two});
  EXPECT_TRUE(has_content(one, both));
  EXPECT_TRUE(has_content(one, sha256_of_file(one)));
  EXPECT_FALSE(has_content(two, both));
  write_atomically(two, "3");
  EXPECT_FALSE(has_content(one, both));
}

}  // namespace assay::score::channels_test
