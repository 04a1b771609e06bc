// SPDX-License-Identifier: Apache-2.0
#include "assay/base/temporary_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "assay/base/test_files.hpp"

namespace assay::temporary_file_test {

namespace fs = std::filesystem;
using test::TemporaryFolder;

void put(const fs::path& path) {
  std::ofstream(path) << "x";
}

TEST(AbandonedFiles, only_those_of_dead_processes_are_removed) {
  const TemporaryFolder folder;
  for (const char* name : {".assay-1-0.tmp", ".assay-4711-00ff.tmp", ".assay-77-1.tmp",
                           ".assay-demo", ".assay-mine.tmp", "a.tmp", ".assay-.tmp"})
    put(folder / name);
  fs::create_directory(folder / ".assay-5-5.tmp");
  fs::create_symlink(folder / "a.tmp", folder / ".assay-6-6.tmp");
  ::mkfifo((folder / ".assay-7-7.tmp").c_str(), 0600);
  const Descriptor alive(::open((folder / ".assay-77-1.tmp").c_str(), O_RDONLY));
  ASSERT_EQ(::flock(alive.number(), LOCK_EX | LOCK_NB), 0);
  remove_abandoned_files(folder.path());
  EXPECT_FALSE(fs::exists(folder / ".assay-1-0.tmp"));
  EXPECT_FALSE(fs::exists(folder / ".assay-4711-00ff.tmp"));
  for (const char* name : {".assay-77-1.tmp", ".assay-demo", ".assay-mine.tmp", "a.tmp",
                           ".assay-.tmp", ".assay-5-5.tmp", ".assay-6-6.tmp", ".assay-7-7.tmp"})
    EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST(AbandonedFiles, the_first_write_into_a_folder_removes_them) {
  const TemporaryFolder folder;
  put(folder / ".assay-1-0.tmp");
  write_atomically(folder / "a", "x");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(TemporaryFile, is_locked_as_long_as_it_has_its_name) {
  const TemporaryFolder folder;
  {
    TemporaryFile file(folder / "a");
    file.write(test::bytes_of("new"));
    remove_abandoned_files(folder.path());
    EXPECT_EQ(folder.entries(), 1U);
    EXPECT_TRUE(file.replace_target());
    remove_abandoned_files(folder.path());
  }
  EXPECT_EQ(read_text(folder / "a"), "new");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(TemporaryFile, knows_that_somebody_deleted_it) {
  const TemporaryFolder folder;
  TemporaryFile file(folder / "a");
  fs::remove(fs::directory_iterator(folder.path())->path());
  EXPECT_FALSE(file.replace_target());
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(TemporaryFile, many_writers_and_cleaners_do_not_disturb_each_other) {
  const TemporaryFolder folder;
  std::atomic<int> failed = 0;
  std::atomic<bool> over = false;
  {
    std::jthread cleaner([&] {
      while (!over) remove_abandoned_files(folder.path());
    });
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer)
      writers.emplace_back([&, writer] {
        for (int n = 0; n < 50; ++n) {
          TemporaryFile file(folder / std::to_string(writer));
          file.write(test::bytes_of(std::to_string(n)));
          failed += !file.replace_target();
        }
      });
    for (std::jthread& writer : writers) writer.join();
    over = true;
  }
  EXPECT_EQ(failed, 0);
  for (const char* name : {"0", "1", "2", "3"}) EXPECT_EQ(read_text(folder / name), "49");
  EXPECT_EQ(folder.entries(), 4U);
}

}  // namespace assay::temporary_file_test
