// SPDX-License-Identifier: Apache-2.0
#include "assay/base/durable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace assay::durable_test {

using test::refusal;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(Durable, what_cannot_be_synced_is_named) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal([&] { sync_folder(folder.path()); }), "");
  EXPECT_EQ(refusal([&] { sync_folder(folder / "absent"); }),
            (folder / "absent").string() + ": does not exist; check the spelling");
}

TEST(Durable, file_systems_that_cannot_sync_folders_are_taken_as_they_are) {
  EXPECT_EQ(refusal([] { sync_folder("/proc"); }), "");  // it answers EINVAL
}

TEST(Durable, folders_are_made_with_those_above) {
  const TemporaryFolder folder;
  for (const char* name : {"a/b/c", "a/b/c", "d/e/"}) {
    make_folder(folder / name);
    EXPECT_TRUE(std::filesystem::is_directory(folder / name)) << name;
  }
  write_atomically(folder / "file", "x");
  EXPECT_THAT(refusal([&] { make_folder(folder / "file"); }), HasSubstr("cannot be created"));
  EXPECT_THAT(refusal([&] { make_folder(folder / "file/a"); }), HasSubstr("cannot be created"));
}

TEST(Durable, a_renamed_file_replaces_the_old_one) {
  const TemporaryFolder folder;
  write_atomically(folder / "a", "old");
  write_atomically(folder / "a.part", "new");
  rename_durably(folder / "a.part", folder / "a");
  EXPECT_EQ(read_text(folder / "a"), "new");
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_THAT(refusal([&] { rename_durably(folder / "a.part", folder / "a"); }),
              HasSubstr("a.part: does not exist"));
}

}  // namespace assay::durable_test
