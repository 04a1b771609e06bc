// SPDX-License-Identifier: Apache-2.0
#include "assay/base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "assay/base/test_files.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using testing::refusal;
using testing::TemporaryFolder;

TEST(File, what_was_written_is_read) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string("one"), std::string(100000, 'x')}) {
    write_atomically(folder / "a.txt", text);
    EXPECT_EQ(read_text(folder / "a.txt"), text);
  }
  EXPECT_EQ(folder.entries(), 1U) << "a temporary file was left behind";
}

TEST(File, refusals_name_path_and_remedy) {
  const TemporaryFolder folder;
  ::mkfifo((folder / "pipe").c_str(), 0600);
  struct Case {
    std::filesystem::path path;
    std::string sentence;
  };
  for (const Case& c : {Case{folder / "absent", "does not exist; check the spelling"},
                        Case{folder.path(), "is a folder; give a file"},
                        Case{folder / "pipe", "is not a regular file; copy it to one first"}})
    EXPECT_EQ(refusal([&] { MappedFile file(c.path); }), c.path.string() + ": " + c.sentence);
}

TEST(File, unreadable_file_is_refused) {
  if (::geteuid() == 0) GTEST_SKIP() << "permissions do not bind the superuser";
  const TemporaryFolder folder;
  write_atomically(folder / "secret", "x");
  ::chmod((folder / "secret").c_str(), 0);
  EXPECT_THAT(refusal([&] { read_text(folder / "secret"); }), HasSubstr("check the permissions"));
}

TEST(File, writing_makes_the_folders_above) {
  const TemporaryFolder folder;
  const auto path = folder / "no/such/file";
  write_atomically(path, "x");
  EXPECT_EQ(read_text(path), "x");
}

TEST(File, a_pipe_or_device_is_never_replaced) {
  const TemporaryFolder folder;
  const auto path = folder / "pipe";
  ::mkfifo(path.c_str(), 0600);
  const std::string said =
      path.string() + ": is a pipe or a device; results are written to files only";
  EXPECT_EQ(refusal([&] { write_atomically(path, "x"); }), said);
  EXPECT_EQ(refusal([&] { require_writable(path); }), said);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(File, what_cannot_be_written_is_known_beforehand) {
  const TemporaryFolder folder;
  write_atomically(folder / "file", "x");
  EXPECT_NO_THROW(require_writable(folder / "file"));
  EXPECT_NO_THROW(require_writable(folder / "new"));
  EXPECT_NO_THROW(require_writable(folder / "absent/new"));  // writing makes the folder
  EXPECT_THAT(refusal([&] { require_writable(folder / "file/new"); }), HasSubstr("is a file"));
  EXPECT_THAT(refusal([&] { require_writable(folder.path()); }), HasSubstr("is a folder"));
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(File, writing_over_a_folder_leaves_nothing_behind) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken");
  EXPECT_THAT(refusal([&] { write_atomically(folder / "taken", "x"); }), HasSubstr("is a folder"));
  EXPECT_EQ(folder.entries(), 1U);
}

/// A limit on the size of files stands in for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(File, failed_write_keeps_the_old_file_and_nothing_else) {
  const TemporaryFolder folder;
  write_atomically(folder / "a", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = refusal([&] { write_atomically(folder / "a", std::string(5000, 'x')); });
  }
  EXPECT_THAT(message, HasSubstr("could not be written"));
  EXPECT_THAT(message, HasSubstr((folder / "a").string()));
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(File, sha256_equals_the_published_digests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(File, moved_map_stays_valid) {
  const TemporaryFolder folder;
  write_atomically(folder / "a", "abc");
  MappedFile first(folder / "a");
  MappedFile second = std::move(first);
  MappedFile third;
  third = std::move(second);
  EXPECT_EQ(third.bytes().size(), 3U);
  EXPECT_EQ(third.bytes()[2], std::byte{'c'});
}

TEST(File, git_blob_id_is_what_git_says) {
  EXPECT_EQ(git_blob_id({}), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_id(testing::bytes_of("hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
}

}  // namespace
}  // namespace assay
