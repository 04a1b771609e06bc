// SPDX-License-Identifier: Apache-2.0
#include "assay/base/new_folders.hpp"

#include <gtest/gtest.h>

#include "assay/base/file.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/error.hpp"

namespace assay::new_folders_test {

namespace fs = std::filesystem;

TEST(NewFolders, stay_only_if_something_is_in_them) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "a/b/r.json";
  {
    const NewFolders made(out);
    EXPECT_TRUE(fs::is_directory(out.parent_path()));
  }
  EXPECT_FALSE(fs::exists(folder.path() / "a"));
  {
    const NewFolders made(out);
    write_atomically(folder.path() / "a/note", "x");
  }
  EXPECT_FALSE(fs::exists(out.parent_path()));
  EXPECT_TRUE(fs::exists(folder.path() / "a/note"));
  { const NewFolders none("r.json"); }
}

TEST(NewFolders, a_file_in_the_way_is_refused) {
  const TemporaryFolder folder;
  write_atomically(folder.path() / "a", "x");
  EXPECT_THROW(NewFolders(folder.path() / "a/b/r.json"), Error);
}

TEST(WriteAtomically, makes_the_folder_and_leaves_none_behind) {
  const TemporaryFolder folder;
  write_atomically(folder.path() / "a/b/r.json", "x");
  EXPECT_EQ(read_text(folder.path() / "a/b/r.json"), "x");
  require_writable(folder.path() / "c/d/r.json");
  EXPECT_FALSE(fs::exists(folder.path() / "c"));
}

}  // namespace assay::new_folders_test
