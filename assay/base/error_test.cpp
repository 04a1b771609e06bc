// SPDX-License-Identifier: Apache-2.0
#include "assay/error.hpp"

#include <gtest/gtest.h>

namespace error_test {

using assay::Error;

const Error plain(Error::Kind::input, "has no voxels");
const Error of_file(Error::Kind::io, "/data/a/x.nii", "does not exist");

TEST(Error, message_is_the_file_and_the_sentence) {
  EXPECT_STREQ(plain.what(), "has no voxels");
  EXPECT_EQ(plain.file(), "");
  EXPECT_STREQ(of_file.what(), "/data/a/x.nii: does not exist");
  EXPECT_EQ(of_file.kind(), Error::Kind::io);
  EXPECT_EQ(of_file.file(), "/data/a/x.nii");
  EXPECT_EQ(of_file.sentence(), "does not exist");
}

TEST(Error, about_adds_a_file_only_where_there_is_none) {
  EXPECT_STREQ(plain.about("y.nii").what(), "y.nii: has no voxels");
  EXPECT_EQ(plain.about("y.nii").kind(), Error::Kind::input);
  EXPECT_STREQ(plain.about("y.nii").about("z.nii").what(), "y.nii: has no voxels");
  EXPECT_STREQ(of_file.about("y.nii").what(), "/data/a/x.nii: does not exist");
  EXPECT_STREQ(plain.about("").what(), "has no voxels");
}

TEST(Error, places_come_first_the_outermost_before_the_others) {
  EXPECT_STREQ(of_file.within("model 'm'").within("case 7").what(),
               "case 7: model 'm': /data/a/x.nii: does not exist");
  EXPECT_EQ(of_file.within("case 7").file(), "/data/a/x.nii");
  EXPECT_EQ(of_file.within("case 7").sentence(), "does not exist");
}

TEST(Error, place_within_a_file_that_is_named_later_stays_with_the_sentence) {
  EXPECT_STREQ(plain.within("layer 2").what(), "layer 2: has no voxels");
  EXPECT_STREQ(plain.within("layer 2").about("m.pt").what(), "m.pt: layer 2: has no voxels");
}

TEST(Error, file_is_shown_relative_to_its_root) {
  EXPECT_STREQ(of_file.relative_to("/data/").what(), "a/x.nii: does not exist");
  EXPECT_EQ(of_file.relative_to("/data/").file(), "a/x.nii");
  EXPECT_STREQ(of_file.within("case 7").relative_to("/data/a/").what(),
               "case 7: x.nii: does not exist");
  // Not below the root, or the root itself: as it is.
  EXPECT_STREQ(of_file.relative_to("/other/").what(), of_file.what());
  EXPECT_STREQ(of_file.relative_to("/data/a/x.nii").what(), of_file.what());
  EXPECT_STREQ(of_file.relative_to("").what(), of_file.what());
  EXPECT_STREQ(plain.relative_to("has").what(), "has no voxels");
}

TEST(Error, sentence_is_never_edited) {
  const Error quoting(Error::Kind::input, "/data/x.nii", "differs from /data/y.nii");
  EXPECT_STREQ(quoting.relative_to("/data/").what(), "x.nii: differs from /data/y.nii");
}

}  // namespace error_test
