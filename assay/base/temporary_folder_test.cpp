// SPDX-License-Identifier: Apache-2.0
#include "assay/base/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "assay/base/test_files.hpp"

namespace assay::temporary_folder_test {

namespace fs = std::filesystem;

/// $TMPDIR for as long as a test runs.
class TemporaryFolderTest : public ::testing::Test {
 protected:
  TemporaryFolderTest() {
    if (const char* set = std::getenv("TMPDIR")) before_ = set;
    ::setenv("TMPDIR", above_.path().c_str(), 1);
  }
  ~TemporaryFolderTest() override {
    if (before_)
      ::setenv("TMPDIR", before_->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }

  /// A process that makes a folder with a file in it, and ends without tidying up.
  static void abandon_one() {
    const pid_t child = ::fork();
    if (child == 0) {
      const TemporaryFolder left;
      write_atomically(left / "image.nii", "x");
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  test::TemporaryFolder above_;
  std::optional<std::string> before_;
};

TEST_F(TemporaryFolderTest, goes_with_its_owner) {
  {
    const TemporaryFolder one;
    write_atomically(one / "a", "x");
    EXPECT_EQ(above_.entries(), 1U);
  }
  EXPECT_EQ(above_.entries(), 0U);
}

TEST_F(TemporaryFolderTest, what_an_ended_process_left_is_removed_with_the_next) {
  abandon_one();
  abandon_one();  // takes the first away
  EXPECT_EQ(above_.entries(), 1U);
  { const TemporaryFolder next; }
  EXPECT_EQ(above_.entries(), 0U);
}

TEST_F(TemporaryFolderTest, folders_in_use_and_folders_of_others_stay) {
  fs::create_directories(above_ / "assay-report");
  write_atomically(above_ / "assay-report/page.html", "x");
  const TemporaryFolder one, two;
  write_atomically(one / "a", "x");
  { const TemporaryFolder three; }
  EXPECT_TRUE(fs::exists(one / "a"));
  EXPECT_TRUE(fs::exists(two.path()));
  EXPECT_TRUE(fs::exists(above_ / "assay-report/page.html"));
}

}  // namespace assay::temporary_folder_test
