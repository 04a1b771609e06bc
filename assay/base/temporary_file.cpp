// SPDX-License-Identifier: Apache-2.0
/// A process that is killed cannot delete its temporary file. So it keeps the file locked from its
/// creation to its renaming: if the lock is free, the owner is gone, and the next process that
/// writes into the folder removes the file. A lock, unlike the number of a process, also works for
/// processes in other containers and, if the file system shares locks, on other machines. Where it
/// does not share them, a file may be removed too early; its owner notices that, and writes again.
#include "assay/base/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "assay/base/durable.hpp"
#include "assay/base/file_error.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_start = ".assay-", name_end = ".tmp";

/// A name that no other process uses, and that no killed process has used.
std::string unused_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) number = 0;
  return fmt::format("{}{}-{:016x}{}", name_start, ::getpid(), number, name_end);
}

/// Such as ".assay-4711-0.tmp".
bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(name_start) || !name.ends_with(name_end)) return false;
  name.remove_prefix(name_start.size());
  name.remove_suffix(std::min(name_end.size(), name.size()));
  return !name.empty() && name.find_first_not_of("0123456789abcdef-") == name.npos;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// While we hold its lock nobody else renames or removes the file, so the name that is compared is
/// the name that is removed.
void remove_if_ownerless(const fs::path& path) {
  const Descriptor file = open_descriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat opened {
  }, named{};
  if (!file.is_open() || ::fstat(file.number(), &opened) != 0 || !S_ISREG(opened.st_mode) ||
      opened.st_uid != ::geteuid() || ::flock(file.number(), LOCK_EX | LOCK_NB) != 0)
    return;
  if (::lstat(path.c_str(), &named) == 0 && is_same_file(opened, named)) ::unlink(path.c_str());
}

/// Once per folder and process: a folder may hold very many files.
bool is_first_visit(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> visited;
  const std::lock_guard lock(mutex);
  return visited.insert(folder).second;
}

/// Keeps the permissions of the file that is replaced: new content must not change who may read it.
void keep_permissions(int file, const struct stat& before) {
  mode_t mode = before.st_mode & 0777;
  struct stat now {};
  if (::fstat(file, &now) != 0) return;
  const bool other_group = before.st_gid != now.st_gid;
  if ((other_group || before.st_uid != now.st_uid) &&
      ::fchown(file, before.st_uid, before.st_gid) != 0 && other_group &&
      ::fchown(file, static_cast<uid_t>(-1), before.st_gid) != 0)
    mode &= ~static_cast<mode_t>(070);      // our group must not get the rights of the old one
  static_cast<void>(::fchmod(file, mode));  // not every file system has permissions
}

/// Whether the file is locked by us and still has its name. In the moment between creating and
/// locking it, another process may have removed it as abandoned. Without locks it is never removed.
bool is_ours(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& target) : target_(target) {
  const fs::path folder = folder_of(target);
  if (is_first_visit(folder)) remove_abandoned_files(folder);
  struct stat before {};
  const bool replaces = ::stat(target.c_str(), &before) == 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    name_ = target.parent_path() / unused_name();
    file_ =
        open_descriptor(name_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, replaces ? 0600 : 0666);
    if (!file_.is_open() && errno != EEXIST) throw file_error(target, errno);
    if (!file_.is_open() || !is_ours(file_.number())) continue;
    if (replaces) keep_permissions(file_.number(), before);
    return;
  }
  throw file_error(target, EEXIST);
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void TemporaryFile::write(std::span<const std::byte> bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // write() takes less than 2 GiB at a time
  while (!bytes.empty()) {
    const auto written = uninterrupted(
        [&] { return ::write(file_.number(), bytes.data(), std::min(bytes.size(), most)); });
    if (written < 0) throw file_error(target_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// The file stays locked while it is renamed. Closing reports nothing new, because a network file
/// system reports failed writes at the sync.
bool TemporaryFile::replace_target() {
  struct stat status {};
  if (uninterrupted([&] { return ::fsync(file_.number()); }) != 0 ||
      ::fstat(file_.number(), &status) != 0)
    throw file_error(target_, errno);
  if (status.st_nlink == 0) return false;
  if (::rename(name_.c_str(), target_.c_str()) != 0) {
    if (errno == ENOENT && ::access(folder_of(name_).c_str(), F_OK) == 0) return false;
    throw file_error(target_, errno);
  }
  name_.clear();
  return true;
}

void remove_abandoned_files(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (is_temporary_name(entry->path().filename().string())) remove_if_ownerless(entry->path());
}

}  // namespace assay
