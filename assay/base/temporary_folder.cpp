// SPDX-License-Identifier: Apache-2.0
/// A process that is killed cannot clean up. So every folder holds a file that its owner keeps
/// locked for as long as it lives: if the lock is free, the owner is gone, and whoever creates the
/// next folder removes the abandoned one. A lock, unlike the number of a process, also works for
/// processes in other containers.
#include "assay/base/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "assay/error.hpp"

namespace assay {

namespace fs = std::filesystem;

namespace {

constexpr const char* lock_name = ".assay-temporary";

bool is_own_folder(const fs::path& path) {
  struct stat found = {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid();
}

/// Removes a folder of ours whose owner is gone; leaves any other alone.
void remove_if_abandoned(const fs::path& folder) {
  if (!is_own_folder(folder)) return;
  const Descriptor lock = open_descriptor(folder / lock_name, O_RDWR | O_NOFOLLOW);
  std::error_code ignored;
  if (lock.is_open() && ::flock(lock.number(), LOCK_EX | LOCK_NB) == 0)
    fs::remove_all(folder, ignored);
}

void remove_abandoned(const fs::path& above) {
  std::error_code failed;
  for (fs::directory_iterator entry(above, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (entry->path().filename().string().starts_with("assay-")) remove_if_abandoned(entry->path());
}

/// The file is locked before it gets its name, so under its name it is never seen unlocked. If
/// locks are not available, there is no such file, and the folder is never mistaken for an
/// abandoned one.
Descriptor locked(const fs::path& folder) {
  const fs::path unnamed = folder / ".assay-new";
  Descriptor lock = open_descriptor(unnamed, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (lock.is_open() && ::flock(lock.number(), LOCK_EX | LOCK_NB) == 0)
    ::rename(unnamed.c_str(), (folder / lock_name).c_str());
  return lock;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code missing;
  const fs::path above = fs::temp_directory_path(missing);
  if (!missing) remove_abandoned(above);
  std::string name = (above / "assay-XXXXXX").string();
  if (missing || ::mkdtemp(name.data()) == nullptr)
    throw Error(Error::Kind::io, "a temporary folder cannot be created in " +
                                     (missing ? "$TMPDIR" : above.string()) +
                                     "; set TMPDIR to a folder with room for an image");
  path_ = name;
  lock_ = locked(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failed;  // no descriptor left to look into it; the next process removes it
  fs::remove_all(path_, failed);
  if (failed && !lock_.is_open()) ::rmdir(path_.c_str());
}

}  // namespace assay
