// SPDX-License-Identifier: Apache-2.0
#include "assay/base/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "assay/base/descriptor.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace assay::file_test {

using test::refusal;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(File, what_was_written_is_read) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string("one"), std::string(100000, 'x')}) {
    write_atomically(folder / "a.txt", text);
    EXPECT_EQ(read_text(folder / "a.txt"), text);
  }
  EXPECT_EQ(folder.entries(), 1U) << "a temporary file was left behind";
}

TEST(File, pieces_are_one_file_that_appears_whole_or_not_at_all) {
  const TemporaryFolder folder;
  write_atomically(folder / "a.txt", [&](const TextSink& sink) {
    sink("one");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
    sink("");
    sink(std::string(100000, 'x'));
  });
  EXPECT_EQ(read_text(folder / "a.txt"), "one" + std::string(100000, 'x'));
  EXPECT_THROW(write_atomically(folder / "a.txt",
                                [](const TextSink& sink) {
                                  sink("two");
                                  throw Error(Error::Kind::input, "no more");
                                }),
               Error);
  EXPECT_EQ(read_text(folder / "a.txt").substr(0, 3), "one");
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
    EXPECT_EQ(refusal([&] { InputFile file(c.path); }), c.path.string() + ": " + c.sentence);
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

/// A limit on the size of files has the effect of a full disk.
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

TEST(File, what_becomes_shorter_while_it_is_read_is_refused) {
  const TemporaryFolder folder;
  const auto path = folder / "a";
  const std::string said =
      path.string() +
      ": became shorter while it was read; wait until it is written, then run again";
  for (const std::size_t left : {0U, 1U, 99999U}) {
    write_atomically(path, std::string(100000, 'x'));
    const InputFile file(path);
    std::filesystem::resize_file(path, left);
    EXPECT_EQ(refusal([&] { file.read_all(); }), said) << left;
    EXPECT_EQ(file.read_start(left).bytes().size(), left);
  }
}

TEST(File, memory_for_what_is_read_is_used_again) {
  const TemporaryFolder folder;
  write_atomically(folder / "a", "abcdef");
  write_atomically(folder / "b", "xyz");
  Buffer room = read_bytes(folder / "a");
  const std::byte* where = room.bytes().data();
  room = read_bytes(folder / "b", std::move(room));
  EXPECT_EQ(room.bytes().data(), where);
  EXPECT_EQ(room.bytes().size(), 3U);
  EXPECT_EQ(room.bytes()[2], std::byte{'z'});
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

TEST(File, what_is_replaced_keeps_its_permissions) {
  const TemporaryFolder folder;
  const auto path = folder / "a";
  write_atomically(path, "first");
  const mode_t usual = mode_of(path);
  EXPECT_EQ(usual & 0600, 0600U);
  for (const mode_t mode : {0600U, 0640U, 0666U, 0400U, 0755U}) {
    ::chmod(path.c_str(), mode);
    write_atomically(path, std::to_string(mode));
    EXPECT_EQ(mode_of(path), mode);
    EXPECT_EQ(read_text(path), std::to_string(mode));
  }
}

TEST(File, a_link_stays_and_what_it_points_to_is_replaced) {
  const TemporaryFolder folder;
  namespace fs = std::filesystem;
  fs::create_directory(folder / "disk");
  write_atomically(folder / "disk/real", "old");
  fs::create_symlink("disk/real", folder / "one");
  fs::create_symlink("one", folder / "two");
  fs::create_symlink("disk/new/absent", folder / "dangling");
  fs::create_symlink("loop", folder / "loop");
  write_atomically(folder / "two", "new");
  EXPECT_EQ(read_text(folder / "disk/real"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "one") && fs::is_symlink(folder / "two"));
  EXPECT_NO_THROW(require_writable(folder / "dangling"));
  write_atomically(folder / "dangling", "made");
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
  EXPECT_EQ(read_text(folder / "disk/new/absent"), "made");
  EXPECT_THAT(refusal([&] { write_atomically(folder / "loop", "x"); }), HasSubstr("loop"));
}

/// Another process's lease would be the same to us.
TEST(File, a_file_under_a_lease_is_read_when_its_owner_lets_go) {
  const TemporaryFolder folder;
  write_atomically(folder / "a", "leased");
  const Descriptor owner = open_descriptor(folder / "a", O_RDWR);
  const auto asked = std::signal(SIGIO, SIG_IGN);
  if (::fcntl(owner.number(), F_SETLEASE, F_WRLCK) != 0) GTEST_SKIP() << "no leases here";
  EXPECT_EQ(::open((folder / "a").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), -1);
  const std::jthread lets_go([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::fcntl(owner.number(), F_SETLEASE, F_UNLCK);
  });
  EXPECT_EQ(read_text(folder / "a"), "leased");
  std::signal(SIGIO, asked);
}

}  // namespace assay::file_test
