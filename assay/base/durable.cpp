// SPDX-License-Identifier: Apache-2.0
#include "assay/base/durable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "assay/base/descriptor.hpp"
#include "assay/base/file_error.hpp"

namespace assay {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void sync_folder(const fs::path& folder) {
  const Descriptor file = open_descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!file.is_open() && errno == EACCES) return ::sync();  // writable, but not readable
  if (!file.is_open()) throw file_error(folder, errno);
  if (uninterrupted([&] { return ::fsync(file.number()); }) == 0) return;
  // Some network and FUSE file systems have no such call for folders.
  if (errno == EINVAL || errno == ENOTSUP || errno == EOPNOTSUPP) return;
  throw Error(Error::Kind::io, folder,
              "what was written to this folder may not survive a power cut (" +
                  std::generic_category().message(errno) + "); check the disk, then run again");
}

void make_folder(const fs::path& path) {
  std::error_code unknown;
  std::vector<fs::path> made;
  for (fs::path at = path; !at.empty() && !fs::exists(at, unknown); at = at.parent_path())
    made.push_back(at);
  std::error_code trouble;
  fs::create_directories(path, trouble);
  if (trouble || !fs::is_directory(path, unknown))
    throw Error(Error::Kind::io, path,
                "this folder cannot be created (" + (trouble ? trouble.message() : "it is a file") +
                    "); name another");
  for (const fs::path& folder : made) sync_folder(folder_of(folder));
}

void rename_durably(const fs::path& from, const fs::path& to) {
  const Descriptor file = open_descriptor(from, O_RDONLY);
  if (!file.is_open()) throw file_error(from, errno);
  if (uninterrupted([&] { return ::fsync(file.number()); }) != 0 ||
      ::rename(from.c_str(), to.c_str()) != 0)
    throw file_error(to, errno);
  sync_folder(folder_of(to));
}

}  // namespace assay
